/** What a report says about a run: the part of a result that it needs. */
export interface RunReport {
  readonly subtype: string;
  readonly is_error: boolean;
  readonly result: string;
  readonly errors?: readonly string[] | undefined;
  readonly team: string;
  readonly duration_ms: number;
  readonly total_cost_usd: number;
  readonly members: readonly {
    readonly name: string;
    readonly state: string;
    readonly turns: number;
    readonly costUsd: number;
    readonly activity?: string | undefined;
    readonly lastReport?: string | undefined;
  }[];
  readonly tasks: readonly {
    readonly id: string;
    readonly subject: string;
    readonly status: string;
    readonly owner?: string | undefined;
  }[];
  readonly worktrees: readonly {
    readonly member: string;
    readonly path: string;
    readonly branch: string;
    readonly holds: readonly string[];
    readonly lost?: true | undefined;
  }[];
}
