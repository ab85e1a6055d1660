import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Conversation, obey } from '../../src/app/members/conversation.js';
import { createQuestions, type OpenQuestion, recordedAsk } from '../../src/app/session/questions.js';
import { systemClock } from '../../src/host/clock.js';
import { NO_USAGE } from '../../src/model/usage.js';
import { openRunRecord } from '../../src/team/runRecord.js';
import { createAskUserQuestionTool } from '../../src/tools/askUserQuestion.js';
import { eventually } from '../helpers/eventually.js';
import { tempDir } from '../helpers/tempDir.js';
import { textOf, toolContext } from './context.js';

const option = (label: string) => ({ label, description: `what ${label} means` });
const COLOUR = { question: 'Which colour?', header: 'Colour', options: [option('Red'), option('Blue')] };
const PARTS = { ...COLOUR, question: 'Which parts?', multiSelect: true, options: ['A', 'B', 'C'].map(option) };

/** A person and a model that asks; what the person was shown. */
function asked(questions: object[], signal = new AbortController().signal) {
  const shown: OpenQuestion[] = [];
  const withdrawn: string[] = [];
  const port = createQuestions({
    show: (question) => void shown.push(question),
    withdraw: ({ id }) => void withdrawn.push(id),
  });
  const tool = createAskUserQuestionTool(port.ask);
  const result = textOf(tool, { questions }, toolContext('/', { signal }));
  const say = (line: string) =>
    obey(line, { answer: async (id: string, choice: string) => port.answer(id, choice) } as Conversation);
  return { shown, withdrawn, result, say, port };
}

test('AskUserQuestion: the person chooses by number, by label or in words of their own', async () => {
  const answers = async (choice: string, question = COLOUR) => {
    const { result, say } = asked([question]);
    await say(`/answer q1 ${choice}`);
    return Object.values(JSON.parse(await result).answers)[0];
  };
  expect(await answers('2')).toBe('Blue');
  expect(await answers('red')).toBe('Red');
  expect(await answers('a warm one, but not too loud')).toBe('a warm one, but not too loud');
  expect(await answers('1, c,1', PARTS)).toBe('A, C');
});

test('AskUserQuestion: options that are numbers are chosen by what they say, unless that is the number of another', async () => {
  const { result, say } = asked([{ ...COLOUR, question: 'How many?', options: ['2', '10'].map(option) }]);
  await expect(say('/answer q1 2')).rejects.toThrow('Is 2 the option 2 (10), or that label? Say it in more words.');
  await say('/answer q1 10');
  expect(JSON.parse(await result).answers).toEqual({ 'How many?': '10' });
  const other = asked([{ ...COLOUR, question: 'How many?', options: ['5', '10'].map(option) }]);
  await other.say('/answer q1 7');
  expect(JSON.parse(await other.result).answers).toEqual({ 'How many?': '7' });
});

test('AskUserQuestion: several questions wait side by side, each with an id', async () => {
  const { shown, result, say, port, withdrawn } = asked([COLOUR, PARTS]);
  expect(shown.map(({ id, question }) => [id, question])).toEqual([
    ['q1', 'Which colour?'],
    ['q2', 'Which parts?'],
  ]);
  await say('/answer q2 1');
  expect(port.open().map(({ id }) => id)).toEqual(['q1']);
  await say('/answer q1 1');
  expect(JSON.parse(await result)).toEqual({ answers: { 'Which colour?': 'Red', 'Which parts?': 'A' } });
  expect(withdrawn).toEqual([]);
});

test('AskUserQuestion: a slip in the answer is told and the question waits on', async () => {
  const { result, say } = asked([COLOUR]);
  await expect(say('/answer q7 1')).rejects.toThrow('No question "q7" waits. Waiting: q1');
  await expect(say('/answer q1 3')).rejects.toThrow('There are only the options 1 to 2.');
  await expect(say('/answer q1 1,2')).rejects.toThrow('Only one can be chosen.');
  await expect(say('/answer q1')).rejects.toThrow('Say what you choose: /answer q1 1');
  await say('/answer q1 1');
  await expect(say('/answer q1 2')).rejects.toThrow('No question "q1" waits. None does.');
  expect(JSON.parse(await result).answers).toEqual({ 'Which colour?': 'Red' });
});

test('AskUserQuestion: a turn that is ended takes its questions away', async () => {
  const abort = new AbortController();
  const { result, port, withdrawn } = asked([COLOUR], abort.signal);
  abort.abort(new Error('stop'));
  await expect(result).rejects.toThrow('stop');
  expect(port.open()).toEqual([]);
  expect(withdrawn).toEqual(['q1']);
});

test('AskUserQuestion: what is not answered stands in the record, for whoever looks from elsewhere', async () => {
  await using dir = await tempDir();
  const record = openRunRecord(join(dir.path, 'lead.json'), systemClock, {
    ...{ pid: 1, procStart: 'x', generation: 1, state: 'working', turns: 0, costUsd: 0, counter: 0, heartbeat: 0 },
    tokens: NO_USAGE,
  });
  const resolvers: ((answer: string | undefined) => void)[] = [];
  const ask = recordedAsk(record, () => new Promise((resolve) => resolvers.push(resolve)));
  const never = new AbortController().signal;
  const open = async () => {
    await record.flush();
    const { waitingFor, questions } = JSON.parse(await readFile(join(dir.path, 'lead.json'), 'utf8'));
    return { waitingFor, questions };
  };
  const port = (question: string) => ask({ ...COLOUR, multiSelect: false, question }, never);
  const [first, second] = [port('Which?'), port('How?')];
  await eventually(() => expect(resolvers).toHaveLength(2));
  expect(await open()).toEqual({ waitingFor: 'question', questions: ['Which?', 'How?'] });
  resolvers[0]?.('Red');
  expect(await first).toBe('Red');
  expect(await open()).toEqual({ waitingFor: 'question', questions: ['How?'] });
  resolvers[1]?.(undefined);
  expect(await second).toBeUndefined();
  expect(await open()).toEqual({});
});

test('AskUserQuestion: silence is told to the model as such', async () => {
  const tool = createAskUserQuestionTool(async ({ header }) => (header === 'Colour' ? undefined : 'A'));
  const ask = (...questions: object[]) => textOf(tool, { questions }, toolContext('/'));
  expect(await ask(COLOUR)).toMatch(/did not answer in time/);
  expect(JSON.parse(await ask(COLOUR, { ...PARTS, header: 'Parts' }))).toEqual({
    answers: { 'Which parts?': 'A' },
    unanswered: ['Which colour?'],
  });
});

test('AskUserQuestion: one to four questions with two to four options, told apart', async () => {
  const tool = createAskUserQuestionTool(async () => 'x');
  const ask = (...questions: object[]) => textOf(tool, { questions }, toolContext('/'));
  await expect(ask()).rejects.toThrow('questions: Too small');
  await expect(ask({ ...COLOUR, options: [option('A')] })).rejects.toThrow('questions.0.options: Too small');
  await expect(ask({ ...COLOUR, header: 'much too long a header' })).rejects.toThrow('questions.0.header: Too big');
  await expect(ask({ ...COLOUR, options: [option('A'), option('a')] })).rejects.toThrow('have the same label');
  await expect(ask(COLOUR, COLOUR)).rejects.toThrow('Two questions are the same');
});
