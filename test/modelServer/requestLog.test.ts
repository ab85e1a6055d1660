import { expect, test } from 'vitest';
import { createRequestLog, type LoggedRequest } from '../../src/modelServer/requestLog.js';
import { hello, modelServer } from './helpers.js';

const entry = (model: string): LoggedRequest => ({
  at: '',
  path: '/v1/messages',
  userId: '',
  model,
  body: {},
  status: 200,
});

test('the newest requests are kept, bounded by number and by size, and the last one in any case', () => {
  const log = createRequestLog({ entries: 3, bytes: 100 });
  const models = () => log.all().map(({ model }) => model);
  for (const model of ['a', 'b', 'c', 'd']) log.add(entry(model), 10);
  expect([models(), log.dropped]).toEqual([['b', 'c', 'd'], 1]);
  log.add(entry('e'), 85);
  expect([models(), log.dropped]).toEqual([['d', 'e'], 3]);
  log.add(entry('f'), 1000);
  expect([models(), log.dropped]).toEqual([['f'], 5]);
});

test('what is learnt later changes the entry, also when others have been dropped', () => {
  const log = createRequestLog({ entries: 2, bytes: 100 });
  const first = log.add(entry('a'), 1);
  const second = log.add(entry('b'), 1);
  log.add(entry('c'), 1);
  first({ hungUp: true });
  second({ hungUp: true });
  expect(log.all()).toEqual([{ ...entry('b'), hungUp: true }, entry('c')]);
});

test('GET /__log says how many requests it no longer has', async () => {
  await using server = await modelServer({ logBounds: { entries: 2, bytes: 1e6 } });
  for (let n = 0; n < 3; n++) await server.post('/v1/messages', hello);
  const response = await fetch(`${server.url}/__log`);
  expect(response.headers.get('x-dropped')).toBe('1');
  expect(await response.json()).toHaveLength(2);
});
