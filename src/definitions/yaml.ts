// A dynamic import of a CommonJS package has no named exports in the bundle; one of this file has.
export { isMap, isScalar, isSeq, LineCounter, parseDocument, stringify } from 'yaml';
