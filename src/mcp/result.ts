import * as z from 'zod/mini';

/** A tool as a server describes it: read loosely, for the names and schemas of servers are as they are. */
export const ServerTool = z.looseObject({
  name: z.string(),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  inputSchema: z.optional(z.unknown()),
  annotations: z.optional(z.looseObject({ readOnlyHint: z.optional(z.boolean()) })),
});
export type ServerTool = z.infer<typeof ServerTool>;

export const ToolPage = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.optional(z.string()),
});

const Resource = z.looseObject({
  uri: z.string(),
  name: z.optional(z.string()),
  description: z.optional(z.string()),
  mimeType: z.optional(z.string()),
});
export type Resource = z.infer<typeof Resource>;

export const ResourcePage = z.looseObject({ resources: z.array(Resource), nextCursor: z.optional(z.string()) });

/** Of resources whose addresses are made by filling in what is in braces (RFC 6570). */
const ResourceTemplate = z.looseObject({ ...Resource.shape, uri: z.optional(z.string()), uriTemplate: z.string() });
export type ResourceTemplate = z.infer<typeof ResourceTemplate>;

export const TemplatePage = z.looseObject({
  resourceTemplates: z.array(ResourceTemplate),
  nextCursor: z.optional(z.string()),
});

export const ResourceContents = z.looseObject({
  uri: z.string(),
  mimeType: z.optional(z.string()),
  text: z.optional(z.string()),
  /** Base64. */
  blob: z.optional(z.string()),
});
export type ResourceContents = z.infer<typeof ResourceContents>;

export const ReadResult = z.looseObject({ contents: z.array(ResourceContents) });

export const CallResult = z.looseObject({
  content: z._default(z.array(z.unknown()), []),
  structuredContent: z.optional(z.unknown()),
  isError: z.optional(z.boolean()),
});
export type CallResult = z.infer<typeof CallResult>;

/** One part of a result (Model Context Protocol, tool result). */
export const Content = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('audio'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('resource'), resource: ResourceContents }),
  z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.optional(z.string()) }),
]);
export type Content = z.infer<typeof Content>;
