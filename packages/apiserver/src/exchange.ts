/** One request on its way through the server: what is known about it so far, and what it will say beside its answer. */
import type { AuditTrail } from "./audit/trail.ts";
import type { UserInfo } from "./authenticate/user.ts";
import type { RuleContext } from "./builtin/context.ts";
import type { Call } from "./call.ts";
import type { OutputMedia } from "./encode/media.ts";
import type { ServerParts } from "./parts.ts";
import type { ServedResource, ServedSubresource } from "./resources/resource.ts";
import type { ResourceRequest } from "./route/request-info.ts";

/** What every request has. */
export interface Exchange {
  readonly call: Call;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly user: UserInfo;
  readonly parts: ServerParts;
  /** Texts for Warning headers, in order, each once. */
  readonly warnings: Set<string>;
  /** What is noted for the audit log. */
  readonly trail: AuditTrail;
}

/** What a request for a resource has in addition. */
export interface ResourceExchange extends Exchange {
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  readonly subresource: ServedSubresource | undefined;
  /** How the client wants its answer. */
  readonly media: OutputMedia;
  /** What rules are told. */
  readonly context: RuleContext;
}
