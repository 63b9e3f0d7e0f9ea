/** Discovers the served kinds, caches them, and refreshes when a kind is missing. */
import { singleFlight } from "../abort/single-flight.ts";
import { toCallError } from "../call/send.ts";
import type { CallOptions, Sender } from "../call/send.ts";
import { ApiError, isApiError } from "../error/api-error.ts";
import type { Attempt } from "../error/attempt.ts";
import type { Clock } from "../host/clock.ts";
import { fromAggregated, fromLegacy } from "./resource.ts";
import type { AggregatedDiscovery, DiscoveredKind, LegacyResourceList } from "./resource.ts";
import { parseVersion } from "./version.ts";
import type { ServerVersion, VersionResponse } from "./version.ts";

/** A kind by its names; without a version, the server's preferred one. */
export interface KindName {
  readonly group: string;
  readonly version?: string | undefined;
  readonly kind: string;
}

/** The discovery calls. */
export interface DiscoveryCalls {
  /** The kind for a name. Fails with `UnknownKind` if the server does not serve it. */
  resourceFor(name: KindName, options?: CallOptions): Promise<DiscoveredKind>;
  /** Every served kind, preferred versions first. */
  resources(options?: CallOptions): Promise<readonly DiscoveredKind[]>;
  serverVersion(options?: CallOptions): Promise<ServerVersion>;
  /** Fails with `WrongVersion` if the server is older than this ("1.30"). */
  requireVersion(atLeast: string, options?: CallOptions): Promise<ServerVersion>;
}

/** The cached kinds and their age. */
interface CachedKinds {
  readonly kinds: readonly DiscoveredKind[];
  readonly at: number;
}

/** The cache TTL; a missing kind is requested again after the shorter time. */
const cacheTtlMs = 10 * 60_000;
const missingRetryMs = 1000;

/** Discovery over a sender. */
export function createDiscovery(sender: Sender, clock: Clock): DiscoveryCalls {
  let known: CachedKinds | undefined;
  /** One request for all callers within the client's limit; each caller also has its own limit and signal. */
  const answered = singleFlight(async (signal) => {
    const kinds = await discover(sender, { signal });
    return (known = { kinds, at: clock.now() });
  });

  async function ask(options: CallOptions): Promise<CachedKinds> {
    const deadline = sender.start(options);
    try {
      return await answered(deadline.signal);
    } catch (thrown) {
      throw toCallError(thrown, fetchKinds, deadline.signal);
    } finally {
      deadline.end();
    }
  }

  const current = async (options: CallOptions, maxAgeMs: number): Promise<CachedKinds> =>
    known !== undefined && clock.now() - known.at < maxAgeMs ? known : ask(options);

  return {
    resources: async (options = {}) => (await current(options, cacheTtlMs)).kinds,
    async resourceFor(name, options = {}) {
      const found =
        find(await current(options, cacheTtlMs), name) ?? find(await current(options, missingRetryMs), name);
      if (found === undefined) throw unknownKind(name);
      return found;
    },
    serverVersion: (options = {}) => serverVersion(sender, options),
    async requireVersion(atLeast, options = {}) {
      const version = await serverVersion(sender, options);
      if (isOlder(version, atLeast)) throw wrongVersion(version, atLeast);
      return version;
    },
  };
}

function find({ kinds }: CachedKinds, { group, version, kind }: KindName): DiscoveredKind | undefined {
  return kinds.find(
    (one) => one.group === group && one.kind === kind && (version === undefined || one.version === version),
  );
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

async function discover(sender: Sender, options: CallOptions): Promise<DiscoveredKind[]> {
  const [core, groups] = await Promise.all([ask("/api"), ask("/apis")]);
  return [...core, ...groups];

  async function ask(path: string): Promise<DiscoveredKind[]> {
    const headers = { accept: aggregated };
    const answer = await sender.json<DiscoveryResponse>({ attempt: fetchKinds, method: "GET", path, headers, options });
    if (answer.kind === "APIGroupDiscoveryList") return fromAggregated(answer);
    const lists = await Promise.all(groupPaths(answer).map((at) => legacyList(sender, at, options)));
    return lists.flatMap((list) => (list === undefined ? [] : fromLegacy(list)));
  }
}

/** The responses of `/api` and `/apis`, aggregated or legacy. */
type DiscoveryResponse =
  | AggregatedDiscovery
  | { readonly kind: "APIVersions"; readonly versions: readonly string[] }
  | { readonly kind: "APIGroupList"; readonly groups: readonly LegacyGroup[] };

interface LegacyGroup {
  readonly name: string;
  readonly versions: readonly { readonly groupVersion: string }[];
  readonly preferredVersion?: { readonly groupVersion: string };
}

function groupPaths(answer: Exclude<DiscoveryResponse, AggregatedDiscovery>): string[] {
  if (answer.kind === "APIVersions") return answer.versions.map((version) => `/api/${version}`);
  return answer.groups.flatMap(({ versions, preferredVersion }) => {
    const names = versions.map(({ groupVersion }) => groupVersion);
    const preferred = preferredVersion?.groupVersion;
    const ordered = preferred === undefined ? names : [preferred, ...names.filter((name) => name !== preferred)];
    return ordered.map((groupVersion) => `/apis/${groupVersion}`);
  });
}

/** A group with an unavailable extension server must not hide the others. */
async function legacyList(sender: Sender, path: string, options: CallOptions): Promise<LegacyResourceList | undefined> {
  try {
    return await sender.json<LegacyResourceList>({ attempt: fetchKinds, method: "GET", path, options });
  } catch (error) {
    if (isApiError(error, "ServiceUnavailable", "NotFound", "UnknownKind")) return undefined;
    throw error;
  }
}

async function serverVersion(sender: Sender, options: CallOptions): Promise<ServerVersion> {
  const answer = await sender.json<VersionResponse>({ attempt: fetchKinds, method: "GET", path: "/version", options });
  const version = parseVersion(answer);
  if (version !== undefined) return version;
  const message =
    "Cannot tell the server's version: the answer is not that of a Kubernetes API server. Check the address in the kubeconfig.";
  throw new ApiError({ code: "BadAnswer", message });
}

const fetchKinds: Attempt = {
  verb: "get",
  group: "",
  version: "v1",
  kind: "the server's kinds and version",
  plural: "",
};

function isOlder({ major, minor }: ServerVersion, atLeast: string): boolean {
  const [wantMajor = 0, wantMinor = 0] = atLeast.replace(/^v/u, "").split(".").map(Number);
  return major < wantMajor || (major === wantMajor && minor < wantMinor);
}

function wrongVersion({ gitVersion }: ServerVersion, atLeast: string): ApiError {
  const message = `The API server is Kubernetes ${gitVersion}, but at least ${atLeast} is needed. Upgrade the cluster or choose another context.`;
  return new ApiError({ code: "WrongVersion", message });
}

function unknownKind({ group, version, kind }: KindName): ApiError {
  const where = [group, version].filter((part) => part !== undefined && part !== "").join("/");
  const cure =
    group === ""
      ? "Check the name."
      : `Install the CustomResourceDefinition of ${kind} in ${group}, or check the name.`;
  const message = `The server does not serve a kind ${kind}${where === "" ? "" : ` in ${where}`}. ${cure}`;
  const attempt: Attempt = { verb: "get", group, version: version ?? "", kind, plural: "" };
  return new ApiError({ code: "UnknownKind", message, attempt });
}
