/** What a kubeconfig says, in our words, with every path made absolute against the file it stood in. */

/** Text that stands in the file itself or in one of its own, which may change and is read when needed. */
export type Source = { readonly data: string } | { readonly file: string };

/** A cluster entry. */
export interface ClusterEntry {
  readonly server: string;
  readonly certificateAuthority?: Source | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
  /** What exec plugins are told about the cluster (the extension `client.authentication.k8s.io/exec`). */
  readonly execConfig?: unknown;
}

/** A program that prints credentials. */
export interface ExecEntry {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  readonly provideClusterInfo: boolean;
  readonly installHint?: string | undefined;
}

/** An OpenID Connect provider that renews an expired token. */
export interface OidcEntry {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly idToken?: string | undefined;
  readonly refreshToken?: string | undefined;
  readonly certificateAuthority?: Source | undefined;
}

/** On whose behalf requests are made. */
export interface Impersonation {
  readonly user?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** How a user proves who they are. */
export type Proof =
  | { readonly type: "none" }
  | { readonly type: "token"; readonly token: string }
  | { readonly type: "tokenFile"; readonly file: string }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "exec"; readonly exec: ExecEntry }
  | { readonly type: "oidc"; readonly oidc: OidcEntry };

/** Where a user entry was read, so that renewed tokens can be kept there. */
export interface UserOrigin {
  /** Its file, as an absolute path. */
  readonly file: string;
  /** Its name in that file. */
  readonly user: string;
}

/** A user entry. */
export interface UserEntry {
  /** Absent where the entry came from no file: nothing is written then. */
  readonly origin?: UserOrigin | undefined;
  readonly proof: Proof;
  readonly clientCertificate?: Source | undefined;
  readonly clientKey?: Source | undefined;
  readonly impersonate?: Impersonation | undefined;
}

/** A context entry: which cluster, as which user, in which namespace. */
export interface ContextEntry {
  readonly cluster: string;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
}

/** An entry that is read when it is chosen: one that nobody chooses may hold whatever it likes. */
export type Lazy<T> = () => T;

/** One kubeconfig, or several merged. */
export interface Kubeconfig {
  readonly currentContext?: string | undefined;
  readonly contexts: ReadonlyMap<string, Lazy<ContextEntry>>;
  readonly clusters: ReadonlyMap<string, Lazy<ClusterEntry>>;
  readonly users: ReadonlyMap<string, Lazy<UserEntry>>;
}

/** Everything needed to talk to one cluster: a context of a kubeconfig, or what a pod finds around it. */
export interface ClusterConfig {
  /** The name of the context, or "in-cluster". */
  readonly name: string;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  readonly namespace: string;
}

/**
 * Merges by kubectl's rules: the first to name an entry wins, whole; so does the first to set the current context.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const first = <T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> =>
    new Map([...maps].reverse().flatMap((map) => [...map]));
  return {
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined && currentContext !== "")
      ?.currentContext,
    contexts: first(configs.map(({ contexts }) => contexts)),
    clusters: first(configs.map(({ clusters }) => clusters)),
    users: first(configs.map(({ users }) => users)),
  };
}
