/** Reads the content of catalogs and bundles for the lifecycle manager: from ConfigMaps, registry servers and images. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Catalog, openContentImage, readBundle, readBundleImage, readRegistry } from "@capstan/bundle";
import { ConfigMap, Secret } from "@capstan/kinds/v1";
import {
  CatalogError,
  type CatalogOrigin,
  type CatalogSource,
  type Cluster,
  type Manifest,
  type PullReference,
  readConfigMapCatalog,
  type ReadCatalog,
} from "@capstan/lifecycle";
import {
  type Credentials,
  type Descriptor,
  type Fetch,
  fromDockerConfig,
  openStore,
  parseReference,
  pullImage,
  RegistrySession,
  type Store,
} from "@capstan/oci";
import { after } from "../registry/session.ts";

/** Reads catalogs and bundles with the pull secrets of a cluster. */
export interface ContentReader {
  readonly readOrigin: (origin: CatalogOrigin, known: ReadCatalog | undefined) => Promise<ReadCatalog>;
  readonly readBundle: (image: string, pull: PullReference) => Promise<readonly Manifest[]>;
}

/** A reader. */
export function contentReader(cluster: Cluster): ContentReader {
  return {
    readOrigin: (origin, known) => readOrigin(origin, cluster, known),
    readBundle: (image, secrets) =>
      withImage(image, { ...secrets, cluster }, async (descriptor, store) => {
        const found = readBundle(await readBundleImage(descriptor, store));
        if ("problems" in found) {
          throw new CatalogError(
            "Malformed",
            `the image ${image} contains no valid bundle: ${found.problems.join("; ")}`,
          );
        }
        // Objects of a bundle have a kind and metadata; the server checks the rest.
        return found.bundle.objects.map(({ value }) => value as unknown as Manifest);
      }),
  };
}

async function readOrigin(origin: CatalogOrigin, cluster: Cluster, known?: ReadCatalog): Promise<ReadCatalog> {
  switch (origin.type) {
    case "config-map":
      return { catalog: readConfigMapCatalog(origin.data) };
    case "address":
      return { catalog: await readRegistry({ address: origin.address }) };
    case "image":
      return withImage(origin.image, { ...origin, cluster }, async (descriptor, store) => {
        if (known?.digest === descriptor.digest) return known;
        // The content stays open: its large objects are read when a bundle is installed.
        const content = await openContentImage(descriptor, store);
        return { catalog: content.catalog, digest: descriptor.digest, content };
      });
    default:
      return origin satisfies never;
  }
}

/** Reads the catalog of a CatalogSource, as the manager does. */
export async function readSource({ metadata, spec }: CatalogSource, cluster: Cluster): Promise<Catalog> {
  const { namespace = "" } = metadata;
  const { configMap = "", address = "", image = "", secrets = [] } = spec;
  if (configMap !== "") {
    const found = await cluster.get(ConfigMap, { namespace, name: configMap });
    if (found === undefined) throw new CatalogError("Unreachable", `the ConfigMap ${configMap} does not exist`);
    return readConfigMapCatalog(found.data ?? {});
  }
  const origin: CatalogOrigin =
    address === "" ? { type: "image", image, secrets, namespace } : { type: "address", address };
  return (await readOrigin(origin, cluster)).catalog;
}

interface Pull extends PullReference {
  readonly cluster: Cluster;
}

/** Pulls an image into a folder that is gone afterwards. */
async function withImage<T>(
  image: string,
  pull: Pull,
  read: (descriptor: Descriptor, store: Store) => Promise<T>,
): Promise<T> {
  const reference = parseReference(image);
  const folder = await mkdtemp(join(tmpdir(), "capstan-lifecycle-"));
  try {
    const store = await openStore(folder);
    const credentials = await credentialsOf(reference.registry, pull);
    const session = new RegistrySession(reference.registry, {
      // The session uses only options that fetch has.
      fetch: fetch as Fetch,
      credentials: async () => credentials,
      wait: async (milliseconds) => wait(milliseconds),
      after,
    });
    const descriptor = await pullImage(reference, { store, session, platform: { os: "linux", architecture: "amd64" } });
    return await read(descriptor, store);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The credentials for a registry in the pull secrets. */
async function credentialsOf(
  registry: string,
  { cluster, namespace, secrets }: Pull,
): Promise<Credentials | undefined> {
  for (const name of secrets) {
    const found = await cluster.get(Secret, { namespace, name });
    const data = found?.data?.[".dockerconfigjson"];
    if (data === undefined) continue;
    const config = JSON.parse(Buffer.from(data, "base64").toString("utf8")) as Parameters<typeof fromDockerConfig>[0];
    const known = await fromDockerConfig(config, async () => undefined as never)(registry);
    if (known !== undefined) return known;
  }
  return undefined;
}
