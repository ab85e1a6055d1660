/** What a runner of GitHub Actions obeys of a step's output, by its documentation of workflow commands. */
export function obeyedIn(output: string): string[] {
  const obeyed: string[] = [];
  let token: string | undefined;
  for (const line of output.split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] =
      /^\s*::([\w-]+)(?: [^:]*)?::(.*)$/.exec(line) ?? /##\[([\w-]+)[^\]]*\](.*)$/.exec(line) ?? [];
    if (name === '') continue;
    if (token !== undefined) {
      if (name === token) token = undefined;
    } else if (name === 'stop-commands') token = value;
    else obeyed.push(name);
  }
  return obeyed;
}
