/** A parsed kubeconfig, with absolute paths. */

/** Inline data or a file, which may change and is read when needed. */
export type Source = { readonly data: string } | { readonly file: string };

/** A cluster entry. */
export interface ClusterEntry {
  readonly server: string;
  readonly certificateAuthority?: Source | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
  /** The cluster information for exec plugins (the extension `client.authentication.k8s.io/exec`). */
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

/** Impersonation settings. */
export interface Impersonation {
  readonly user?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** How a user authenticates. */
export type Proof =
  | { readonly type: "none" }
  | { readonly type: "token"; readonly token: string }
  | { readonly type: "tokenFile"; readonly file: string }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "exec"; readonly exec: ExecEntry }
  | { readonly type: "oidc"; readonly oidc: OidcEntry };

/** The file and name of a user entry, for storing renewed tokens. */
export interface UserOrigin {
  /** The absolute path of the file. */
  readonly file: string;
  /** Its name in that file. */
  readonly user: string;
}

/** A user entry. */
export interface UserEntry {
  /** Absent without a file: tokens are then not stored. */
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

/** An entry that is parsed when it is used, so that errors in unused entries do not matter. */
export type Lazy<T> = () => T;

/** One kubeconfig, or several merged. */
export interface Kubeconfig {
  readonly currentContext?: string | undefined;
  readonly contexts: ReadonlyMap<string, Lazy<ContextEntry>>;
  readonly clusters: ReadonlyMap<string, Lazy<ClusterEntry>>;
  readonly users: ReadonlyMap<string, Lazy<UserEntry>>;
}

/**
 * Everything needed to talk to one cluster: a context of a kubeconfig, or what a pod finds around it.
 *
 * @example
 * const serverOf = ({ cluster }: ClusterConfig) => cluster.server;
 * serverOf(await loadConfig(processHost()));
 */
export interface ClusterConfig {
  /** The name of the context, or "in-cluster". */
  readonly name: string;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  readonly namespace: string;
}

/** Merges by kubectl's rules: the first file that defines an entry or the current context wins. */
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
