/** The options of a server. */
import type { Authority } from "@capstan/pki";
import type { AdmissionStep } from "./admit/admission.ts";
import type { AuditEvent } from "./audit/event.ts";
import type { UserInfo } from "./authenticate/user.ts";
import type { AuthorizationMode } from "./authorize/modes.ts";
import type { Advertised } from "./bootstrap.ts";
import type { NodeConnector } from "./builtin/rules.ts";
import type { Call } from "./call.ts";
import type { Clock, Stopwatch } from "./clock.ts";
import type { Dial, OutgoingCaller, ServiceResolver } from "./outgoing/outgoing.ts";
import type { Randomness } from "./parts.ts";
import type { ListenTls } from "./serve/listen.ts";
import type { Patience } from "./serve/patience.ts";
import type { HistoryLimits } from "./store/store.ts";
import type { LongTurn } from "./turn/turn-watch.ts";

/** All options have defaults: in memory, in process, with the system clock. */
export interface ApiServerOptions {
  readonly clock?: Clock;
  /**
   * Measures the turns of the event loop, which expensive requests of one client must not use up. Default: that of the process, or none
   * beside a `clock`, which may be virtual.
   */
  readonly stopwatch?: Stopwatch;
  readonly randomness?: Randomness;
  /** A folder for the state, the keys and the credentials of the server. Without it, all of that is lost when the server ends. */
  readonly data?: string;
  /** The limits of the history for watches and pages. */
  readonly history?: HistoryLimits;
  /** Listens on a port; without it, the server can only be called in process. */
  readonly listen?: {
    readonly port: number;
    readonly host?: string;
    readonly tls?: boolean | ListenTls;
    /** Timeouts of slow clients in milliseconds. Default: those of kube-apiserver. */
    readonly patience?: Partial<Patience>;
  };
  /**
   * `node-and-rbac` authorizes kubelets by what is on their node, and all users by roles, as clusters of kubeadm do; `rbac` by roles only;
   * `always-allow` allows every request. Default: `node-and-rbac`.
   */
  readonly authorization?: AuthorizationMode;
  /** The issuer of service account tokens and the key (PEM) that signs them. Default: a key generated on demand. */
  readonly serviceAccounts?: { readonly issuer?: string; readonly privateKeyPem?: string };
  /** Further bearer tokens and their users, besides the administrator's. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /**
   * The admission chain. Default: that of kube-apiserver without `ServiceAccount`, which rejects pods until a controller has created the
   * account `default`; a bare server has no controllers.
   */
  readonly admission?: readonly AdmissionStep[];
  readonly nodes?: NodeConnector;
  /**
   * The service network, or one IPv4 and one IPv6 network separated by a comma. Default: `10.0.0.0/24`. Existing state keeps its
   * networks.
   */
  readonly serviceNetwork?: string;
  /** The node port range of services. Default: `30000-32767`. */
  readonly nodePorts?: string;
  /** Calls webhooks and aggregated servers. Default: over HTTP. */
  readonly outgoing?: OutgoingCaller;
  /** Resolves the Service of a webhook or an aggregated server to an endpoint. Default: its cluster IP. */
  readonly resolveService?: ServiceResolver;
  /** Connects to the endpoints of Services that the machine cannot reach itself. */
  readonly dial?: Dial;
  /** The administrator's bearer token. Default: that of the data folder, or a new one. */
  readonly token?: string;
  /** The CA of the server's certificates. Default: that of the data folder, or a new one. */
  readonly authority?: Authority;
  /** The address at which pods reach the server, for the endpoints of the Service `default/kubernetes`. */
  readonly advertise?: Partial<Advertised>;
  /** Receives an audit event at the level Metadata for each request. `openAuditLog` writes them to a file. */
  readonly audit?: (event: AuditEvent) => void;
  /** Receives the turns of the event loop over 250 ms. `describeLongTurn` makes a log line of them. */
  readonly onLongTurn?: (turn: LongTurn) => void;
  /** Reports bugs of the server: errors that are not a StatusError. */
  readonly report?: (error: unknown, call: Call) => void;
}
