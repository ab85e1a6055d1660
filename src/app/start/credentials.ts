import { hasCredentials } from '../../config/env.js';
import { ExitCode, UserError } from '../../util/errors.js';

/** @throws UserError for an address of the service that is none, and (exit 5) where nothing opens the model service, neither here nor among the team's own variables. */
export function requireCredentials(environment: Readonly<Record<string, string>>): void {
  const { ANTHROPIC_BASE_URL: address } = environment;
  if (address && !/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ''))
    throw new UserError(
      `ANTHROPIC_BASE_URL is ${JSON.stringify(address)}, which is no address: it must begin with http:// or https://.`,
    );
  if (hasCredentials() || environment['ANTHROPIC_API_KEY'] || environment['ANTHROPIC_AUTH_TOKEN']) return;
  throw new UserError(
    'No credentials for the model service: set ANTHROPIC_API_KEY. To see a team at work without any: troupe demo',
    ExitCode.refused,
  );
}
