import type { Command } from 'commander';
import { diagnose } from '../../app/look/doctor.js';
import { theWorld } from '../../app/services.js';
import { ExitCode } from '../../util/errors.js';
import { exitWith } from '../exit.js';
import { createOutput, table } from '../output.js';
import { withJson } from './shared.js';

export function register(program: Command): void {
  withJson(program.command('doctor'))
    .summary('look for what is missing or left over')
    .description(
      'Look at everything that a team needs, and for what is left over. Each finding comes with what to do. Changes nothing; exits 1 when there is a finding.',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await diagnose(theWorld());
      createOutput({ json }).data(
        findings,
        await table(
          findings.map(({ ok, what, detail, fix }) => [
            ok ? 'ok' : '!!',
            what,
            fix === undefined ? detail : `${detail}. ${fix}`,
          ]),
        ),
      );
      if (findings.some(({ ok }) => !ok)) exitWith(ExitCode.failed);
    });
}
