import { resolveModel } from '../../model/catalogue.js';

export interface ModelWish {
  /** What the call, or whoever starts it, asks for. */
  readonly asked?: string | undefined;
  /** What its definition says. */
  readonly defined?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whoever it works for: a concrete id. */
  readonly parent: string;
}

/** The concrete id of the model of a member or sub-agent: call > definition > `TROUPE_SUBAGENT_MODEL` > parent. */
export function childModel({ asked, defined, environment, parent }: ModelWish): string {
  const { TROUPE_SUBAGENT_MODEL: general, TROUPE_SUBAGENT_MODEL_FORCE: force } = environment;
  const wished = (force === '1' && general) || asked || defined || general || 'inherit';
  return wished === 'inherit' ? parent : resolveModel(wished);
}
