/** One request in progress: what is known about it so far, and its warnings and audit annotations. */
import type { AuditTrail } from "./audit/trail.ts";
import type { UserInfo } from "./authenticate/user.ts";
import type { RuleContext } from "./builtin/context.ts";
import type { Call } from "./call.ts";
import type { OutputMedia } from "./encode/media.ts";
import type { Turns } from "./flow/pacer.ts";
import type { ServerParts } from "./parts.ts";
import type { ServedResource, ServedSubresource } from "./resources/resource.ts";
import type { ResourceRequest } from "./route/request-info.ts";

/** The state of every request. */
export interface Exchange {
  readonly call: Call;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly user: UserInfo;
  readonly parts: ServerParts;
  /** Messages for Warning headers, in order, each once. */
  readonly warnings: Set<string>;
  /** Its turns on the event loop: long work waits for the next one. */
  readonly turns: Turns;
  /** The record for the audit log. */
  readonly trail: AuditTrail;
}

/** The additional state of a resource request. */
export interface ResourceExchange extends Exchange {
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  readonly subresource: ServedSubresource | undefined;
  /** The negotiated response format. */
  readonly media: OutputMedia;
  /** The context of the kind's rules. */
  readonly context: RuleContext;
}
