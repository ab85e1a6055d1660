/** What one call is about to do, as the judge needs to know it. Paths are absolute; a linked one is there twice, as named and as it really is. */
export type Access =
  /** Needs no permission. */
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly paths: readonly string[] }
  | { readonly kind: 'write'; readonly paths: readonly string[] }
  /** `realPaths`: where the files that the command names really are, if that is elsewhere. */
  | { readonly kind: 'shell'; readonly command: string; readonly realPaths?: readonly string[] }
  /** Anything else that a rule may name: `Agent(Explore)`, `WebFetch(domain:x)`. */
  | { readonly kind: 'other'; readonly specifier?: string };
