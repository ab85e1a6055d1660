/** What one call is about to do, as the judge needs to know it. Paths are absolute; a linked one is there twice, as named and as it really is. */
export type Access =
  /** Needs no permission. `server`: see below. */
  | { readonly kind: 'none'; readonly server?: string }
  | { readonly kind: 'read'; readonly paths: readonly string[] }
  | { readonly kind: 'write'; readonly paths: readonly string[] }
  /** `realPathOf`: where a file that the command names (absolute) really is. `filesLike`: what a pattern (absolute) names. */
  | {
      readonly kind: 'shell';
      readonly command: string;
      readonly realPathOf?: (path: string) => string;
      readonly filesLike?: (pattern: string) => readonly string[];
    }
  /**
   * Anything else that a rule may name: `Agent(Explore)`, `WebFetch(domain:x)`. `server`: the MCP server that it is about
   * beside its own tools, as rules name it (`mcp__server`); what denies or asks for all of the server holds for it too.
   */
  | { readonly kind: 'other'; readonly specifier?: string; readonly server?: string };
