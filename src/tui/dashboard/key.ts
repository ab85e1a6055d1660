/** A key press. What is a character has it as its name: `q`, `A`, `?`, `é`; `ctrl-c` and the like are by name. */
export interface Key {
  readonly name: string;
  /** What it would type. */
  readonly text?: string | undefined;
}
