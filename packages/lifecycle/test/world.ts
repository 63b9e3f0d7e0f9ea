/** A lifecycle manager on an embedded cluster with simulated pods, for tests. */
import { type Catalog, readRegistry } from "@capstan/bundle";
import { type Client, createClient, inProcess, isApiError } from "@capstan/client";
import { type Cluster as EmbeddedCluster, startCluster } from "@capstan/cluster";
import { ConfigMap, Namespace } from "@capstan/kinds/v1";
import {
  CatalogSource,
  type Cluster,
  clusterOf,
  ClusterServiceVersion,
  createCatalogStore,
  installBase,
  InstallPlan,
  lifecycleManager,
  type Manifest,
  type ManagerSetting,
  OperatorGroup,
  readConfigMapCatalog,
  resolve,
  Subscription,
} from "@capstan/lifecycle";
import { apiOf, silentLog, systemClock } from "@capstan/runtime";

/** A running world. */
export interface World extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: Client;
  /** Waits until a condition holds, and fails with what it saw last. */
  readonly until: <T>(what: string, look: () => Promise<T>, holds: (seen: T) => boolean) => Promise<T>;
  readonly namespace: (name: string, group?: { readonly spec?: object } | "none") => Promise<void>;
  readonly catalog: (content: CatalogContent, name?: string) => Promise<void>;
  /** Images by their references: catalogs of ClusterCatalogs, and bundles. */
  readonly images: Map<string, { readonly catalog: Catalog; readonly digest: string } | readonly Manifest[]>;
  readonly subscribe: (
    namespace: string,
    spec: { readonly name: string; readonly [field: string]: unknown },
  ) => Promise<void>;
  readonly csv: (namespace: string, name: string) => Promise<ClusterServiceVersion | undefined>;
  readonly subscription: (namespace: string, name: string) => Promise<Subscription | undefined>;
  readonly plans: (namespace: string) => Promise<readonly InstallPlan[]>;
  readonly succeeded: (namespace: string, name: string) => Promise<ClusterServiceVersion | undefined>;
}

/** A catalog in a ConfigMap. */
export interface CatalogContent {
  readonly csvs: readonly Manifest[];
  readonly crds?: readonly Manifest[];
  readonly packages: readonly {
    readonly packageName: string;
    readonly channels: readonly { readonly name: string; readonly currentCSV: string }[];
  }[];
}

const LIMIT = 60_000;

/** What tests replace. */
export interface WorldOptions {
  /** Milliseconds to add to the time of the clock. */
  readonly ahead?: () => number;
  readonly connect?: ManagerSetting["connect"];
}

/** Where the setting of a world gets the time and images from. */
export interface SettingOptions {
  readonly clock?: ManagerSetting["clock"];
  readonly images?: World["images"];
  readonly connect?: ManagerSetting["connect"];
}

/** The setting of a manager on an embedded cluster. */
export function settingOf(
  embedded: EmbeddedCluster,
  { clock = systemClock, images = new Map(), connect }: SettingOptions = {},
): ManagerSetting {
  const { client } = embedded;
  return {
    cluster: clusterOf(apiOf(client)),
    as: ({ namespace, name }) => {
      const fetch = (request: Request): Promise<Response> => {
        const headers = new Headers(request.headers);
        headers.set("impersonate-user", `system:serviceaccount:${namespace}:${name}`);
        return embedded.fetch(new Request(request, { headers }));
      };
      return clusterOf(apiOf(createClient(inProcess(fetch))));
    },
    discovery: {
      version: async () => (await client.serverVersion()).gitVersion,
      kind: async (group, version, kind) => {
        try {
          return await client.resourceFor({ group, version, kind });
        } catch (error) {
          if (isApiError(error, "UnknownKind")) return undefined;
          throw error;
        }
      },
    },
    clock,
    connect,
    catalogs: createCatalogStore(async (origin) => {
      if (origin.type === "image") {
        const found = images.get(origin.image);
        if (found === undefined || !("digest" in found)) throw new Error(`the image ${origin.image} does not exist`);
        return found;
      }
      if (origin.type === "address") return { catalog: await readRegistry({ address: origin.address }) };
      return { catalog: readConfigMapCatalog(origin.data) };
    }),
    resolve,
    readBundle: async (image) => {
      const found = images.get(image);
      if (found === undefined) return [];
      if ("digest" in found) throw new Error(`the image ${image} is a catalog`);
      return found;
    },
    namespace: "olm",
  };
}

/** Starts a world. */
export async function startWorld({ ahead = () => 0, connect }: WorldOptions = {}): Promise<World> {
  const images: World["images"] = new Map();
  const clock = { ...systemClock, wall: () => systemClock.wall() + ahead() };
  const embedded = await startCluster({ heartbeat: false });
  const { client } = embedded;
  const api = apiOf(client);
  const setting = settingOf(embedded, { clock, images, connect });
  const { cluster } = setting;
  await installBase({ cluster, clock: systemClock, namespace: "olm" });
  const running = lifecycleManager(setting).start({ api, log: silentLog, namespace: "olm" });
  const csv = (namespace: string, name: string): Promise<ClusterServiceVersion | undefined> =>
    cluster.get(ClusterServiceVersion, { namespace, name });
  return {
    cluster,
    client,
    images,
    until,
    csv,
    ...catalogInto(cluster),
    subscription: (namespace, name) => cluster.get(Subscription, { namespace, name }),
    plans: (namespace) => cluster.list(InstallPlan, { namespace }),
    succeeded: (namespace, name) =>
      until(
        `${name} succeeds`,
        () => csv(namespace, name),
        (seen) => seen?.status?.phase === "Succeeded",
      ),
    [Symbol.asyncDispose]: async () => {
      await running.stop(0);
      await embedded[Symbol.asyncDispose]();
    },
  };
}

/** How users of a cluster make namespaces, catalogs and Subscriptions. */
export function catalogInto(cluster: Cluster): Pick<World, "namespace" | "catalog" | "subscribe"> {
  return {
    namespace: async (name, group = { spec: { targetNamespaces: [name] } }) => {
      await cluster.ensure(Namespace, { metadata: { name } });
      if (group !== "none")
        await cluster.create(OperatorGroup, { metadata: { name: "group", namespace: name }, ...group });
    },
    catalog: (content, name = "catalog") => putCatalog(cluster, { name, content }),
    subscribe: async (namespace, spec) => {
      const full = { source: "catalog", sourceNamespace: "olm", channel: "stable", ...spec };
      await cluster.create(Subscription, { metadata: { name: spec.name, namespace }, spec: full });
    },
  };
}

interface Put {
  readonly name: string;
  readonly content: CatalogContent;
}

async function putCatalog(cluster: Cluster, { name, content }: Put): Promise<void> {
  const data = {
    clusterServiceVersions: JSON.stringify(content.csvs),
    customResourceDefinitions: JSON.stringify(content.crds ?? []),
    packages: JSON.stringify(content.packages),
  };
  await cluster.apply(ConfigMap, { metadata: { name, namespace: "olm" }, data }, "test");
  const spec = { sourceType: "configmap", configMap: name };
  await cluster.ensure(CatalogSource, { metadata: { name, namespace: "olm" }, spec });
}

/** Waits until a condition holds. */
export async function until<T>(what: string, look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  const end = performance.now() + LIMIT;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (performance.now() > end) throw new Error(`${what}: not within ${LIMIT} ms; last seen: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
