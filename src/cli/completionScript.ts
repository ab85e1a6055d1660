export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

interface Entry {
  readonly name: string;
  readonly summary: string;
}

/** A script that completes the commands; behind one, files. */
export function completionScript(shell: Shell, commands: readonly Entry[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  switch (shell) {
    case 'bash':
      return `_troupe() {
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names}" -- "\${COMP_WORDS[1]}"))
  else
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  fi
}
complete -o default -F _troupe troupe`;
    case 'zsh':
      return `#compdef troupe
_troupe() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    '${name}:${summary.replaceAll("'", '’')}'`).join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; else _files; fi
}
compdef _troupe troupe`;
    case 'fish':
      return commands
        .map(
          ({ name, summary }) =>
            `complete -c troupe -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", '’')}'`,
        )
        .join('\n');
  }
}
