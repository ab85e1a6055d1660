import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { theWorld } from '../../src/app/services.js';
import { askHost, createHostStarts, type HostRequest } from '../../src/app/start/hostRequest.js';
import { thisProcess } from '../../src/host/processes.js';
import { payloads } from '../../src/mailbox/message.js';
import { LEAD } from '../../src/team/member.js';
import { paneOf } from '../../src/team/shutdown.js';
import { ExitCode, UserError } from '../../src/util/errors.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { DEAD, type TeamOnDisk, teamOnDisk } from '../helpers/team.js';

/** Of the shell that asks. */
const ENVIRONMENT = { PATH: '/bin', ANTHROPIC_API_KEY: 'sk-of-the-shell' };
const CAROL: HostRequest = { what: 'add', wish: { name: 'carol', plan: true }, cwd: '/project' };

/** A shell that asks, and the process of the lead, which takes the request out of its inbox when it is told to. */
async function askedIn(team: TeamOnDisk, answer: (asked: HostRequest) => Promise<void> | void) {
  const world = { ...theWorld(), home: team.home, clock: team.place.clock };
  const started: HostRequest[] = [];
  const environments: unknown[] = [];
  const member = { ...team.member('carol'), tmuxPaneId: 'in-process' };
  const starts = createHostStarts(world, 'red', async (asked, environment) => {
    started.push(asked);
    environments.push(environment);
    await answer(asked);
    await team.join(member);
    return { member, pane: paneOf(member), movedMail: 2 };
  });
  const request = () =>
    eventually(async () => {
      const [mail] = await team.mail(LEAD);
      expect(mail).toMatchObject({ type: 'member_start', from: 'user' });
      return payloads.member_start.parse(mail?.payload);
    });
  return {
    started,
    environments,
    starts,
    request,
    async ask(leadProcess = thisProcess()) {
      const owner = { ...(await leadProcess), claimedAt: 0 };
      return askHost(world, { ...(await team.file.require()), leadProcess: owner }, CAROL, ENVIRONMENT);
    },
  };
}

test('what another shell asks for is started in the process of the lead, and told to that shell', async () => {
  await using team = await teamOnDisk();
  const host = await askedIn(team, () => {});
  const asking = host.ask();
  host.starts.ask(await host.request());
  expect(await asking).toMatchObject({ member: { name: 'carol' }, pane: { paneId: 'in-process' }, movedMail: 2 });
  expect(host.started).toEqual([CAROL]);
});

test('it gets the whole environment of that shell, which no message and no event holds and no file keeps', async () => {
  await using team = await teamOnDisk();
  const host = await askedIn(team, () => {});
  const asking = host.ask();
  const request = await host.request();
  const { launch } = team.place.paths;
  const [file = ''] = await readdir(launch);
  expect((await stat(join(launch, file))).mode & 0o777).toBe(0o600);
  host.starts.ask(request);
  await asking;
  expect(host.environments).toEqual([ENVIRONMENT]);
  expect(await readdir(launch)).toEqual([]);
  expect(JSON.stringify([await team.mail(LEAD), await team.events.read()])).not.toContain('sk-of-the-shell');
});

test('the environment of a shell that gave up, or that ended, is not kept', async () => {
  const clock = fakeClock();
  await using team = await teamOnDisk({ clock });
  const host = await askedIn(team, () => {});
  await expect(host.ask(Promise.resolve(DEAD))).rejects.toThrow(/ended before/);
  expect(await readdir(team.place.paths.launch)).toEqual([]);
  const asking = host.ask();
  asking.catch(() => {});
  const [, request] = await eventually(async () => {
    const mail = await team.mail(LEAD);
    expect(mail).toHaveLength(2);
    return mail.map(({ payload }) => payloads.member_start.parse(payload));
  });
  if (!request) throw new Error('nothing was asked');
  host.starts.ask({ ...request, asker: DEAD });
  await eventually(async () => expect(await readdir(team.place.paths.launch)).toEqual([]));
  await clock.advance(50);
  await clock.advance(15_000);
  await expect(asking).rejects.toThrow(/does not answer/);
});

test('a request whose environment is gone, or whose id leads elsewhere, starts nobody', async () => {
  await using team = await teamOnDisk();
  const host = await askedIn(team, () => {});
  const asking = host.ask();
  const request = await host.request();
  const outside = join(team.place.paths.root, 'secret.request');
  await writeFile(outside, '{"environment":{}}');
  host.starts.ask({ ...request, request_id: '../secret' });
  await eventually(async () =>
    expect((await team.events.read()).at(-1)).toMatchObject({ type: 'member_start_failed', id: '../secret' }),
  );
  expect(await readFile(outside, 'utf8')).toContain('environment');
  await rm(team.place.paths.startFile(request.request_id));
  host.starts.ask(request);
  await expect(asking).rejects.toThrow(/is gone/);
  expect(host.started).toEqual([]);
});

test('why it was not started there is the error of the shell, with its exit code', async () => {
  await using team = await teamOnDisk();
  const host = await askedIn(team, () => {
    throw new UserError('No agent "ghost".', ExitCode.refused);
  });
  const asking = host.ask();
  host.starts.ask(await host.request());
  await expect(asking).rejects.toMatchObject({ message: 'No agent "ghost".', exitCode: ExitCode.refused });
});

test('nothing is started for a shell that has ended, nor once the team is ending', async () => {
  await using team = await teamOnDisk();
  const host = await askedIn(team, () => {});
  const asking = host.ask();
  const request = await host.request();
  host.starts.ask({ ...request, asker: DEAD });
  await host.starts.close();
  host.starts.ask(request);
  await expect(asking).rejects.toMatchObject({ message: 'The team "red" is just ending.', exitCode: ExitCode.failed });
  expect(host.started).toEqual([]);
});

test('closing waits for what has begun', async () => {
  await using team = await teamOnDisk();
  let go = () => {};
  const host = await askedIn(team, () => new Promise<void>((resolve) => (go = resolve)));
  const asking = host.ask();
  host.starts.ask(await host.request());
  await eventually(() => expect(host.started).toHaveLength(1));
  const closed = host.starts.close();
  go();
  await closed;
  expect((await team.events.read()).at(-1)).toMatchObject({ type: 'member_start_done', name: 'carol' });
  await asking;
});

test('a lead that has ended, or that does not look at its mail, is an error that names its process', async () => {
  const clock = fakeClock();
  await using team = await teamOnDisk({ clock });
  const host = await askedIn(team, () => {});
  await expect(host.ask(Promise.resolve(DEAD))).rejects.toMatchObject({
    message: expect.stringMatching(/process 999999999\).* ended before it was done/),
    exitCode: ExitCode.failed,
  });
  const silent = host.ask();
  silent.catch(() => {});
  await clock.advance(50);
  await clock.advance(15_000);
  await expect(silent).rejects.toMatchObject({
    message: expect.stringMatching(/does not answer/),
    exitCode: ExitCode.failed,
  });
});
