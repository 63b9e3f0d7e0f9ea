/** Reads catalogs from a registry server such as `opm serve`: the address of a CatalogSource. */
import type { Client, MethodDefinition, ServiceError } from "@grpc/grpc-js";
import type { Json } from "@capstan/model";
import type { BundleBlob, ChannelBlob, DeprecationsBlob } from "../catalog/blobs.ts";
import { startTimer } from "../clock.ts";
import { schemas } from "../catalog/blobs.ts";
import { type CatalogConfig, emptyConfig } from "../catalog/config.ts";
import { type PartialCatalog, toPartialCatalog } from "../catalog/convert.ts";
import { CatalogError } from "../catalog/errors.ts";
import type { ChannelEntry, Property } from "../catalog/model.ts";
import type { ApiBundle } from "./api-bundle.ts";
import type { RegistryMethod } from "./messages.ts";
import type { ApiPackage } from "./query.ts";
import { registryDefinition } from "./server.ts";

/** How a server is reached. */
export interface RegistryClientOptions {
  /** `host:port`. */
  readonly address: string;
  /** The limit of one call. Default: a minute. */
  readonly timeoutMs?: number;
}

/** A connection to a registry server. */
export interface RegistryClient extends Disposable {
  /** Calls a method; a stream's values come as a list. */
  readonly call: (method: RegistryMethod, request?: object) => Promise<readonly object[]>;
}

/** Opens a connection. It connects with the first call. */
export async function openRegistryClient(options: RegistryClientOptions): Promise<RegistryClient> {
  const { address, timeoutMs = 60_000 } = options;
  const grpc = await import("@grpc/grpc-js");
  const client = new grpc.Client(address, grpc.credentials.createInsecure(), {
    "grpc.max_receive_message_length": 64 * 2 ** 20,
  });
  const definition = registryDefinition();
  return {
    call: async (method, request = {}) => {
      const shape = definition[method];
      if (shape === undefined) throw new TypeError(`the registry API has no method ${method}`);
      return readAll(client, { ...options, timeoutMs, method, request, shape });
    },
    [Symbol.dispose]: () => client.close(),
  };
}

/** The status of a server that cannot be reached. */
const unavailable = 14;

interface Call extends Required<RegistryClientOptions> {
  readonly method: RegistryMethod;
  readonly request: object;
  readonly shape: MethodDefinition<object, object>;
}

/** Reads one value or a stream. A call without a message for too long is cancelled. */
async function readAll(client: Client, { address, timeoutMs, method, request, shape }: Call): Promise<object[]> {
  const { path, requestSerialize, responseDeserialize } = shape;
  return new Promise((resolve, reject) => {
    const values: object[] = [];
    const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
    let isLate = false;
    const late = (): void => {
      isLate = true;
      stream.cancel();
    };
    let timer = startTimer(timeoutMs, late);
    stream.on("data", (value: object) => {
      values.push(value);
      timer.cancel();
      timer = startTimer(timeoutMs, late);
    });
    stream.on("end", () => {
      timer.cancel();
      resolve(values);
    });
    stream.on("error", (error: ServiceError) => {
      timer.cancel();
      const why = isLate ? `no answer within ${timeoutMs} ms` : error.details;
      const message = `the registry server ${address} failed at ${method}: ${why}`;
      reject(
        new CatalogError(Number(error.code) === unavailable || isLate ? "Unavailable" : "NotFound", message, {
          cause: error,
        }),
      );
    });
  });
}

/** Reads the whole catalog of a server: its list of bundles and each package. */
export async function readRegistry(options: RegistryClientOptions): Promise<PartialCatalog> {
  using client = await openRegistryClient(options);
  // Decoding fills in all fields of the messages.
  const bundles = (await client.call("ListBundles")) as readonly ApiBundle[];
  const names = [...new Set(bundles.map(({ packageName }) => packageName))];
  const packages: ApiPackage[] = [];
  for (const name of names) packages.push(...((await client.call("GetPackage", { name })) as readonly ApiPackage[]));
  return toPartialCatalog(toConfig(packages, bundles));
}

/** The blobs that the messages stand for. Descriptions and icons are not part of them. */
export function toConfig(packages: readonly ApiPackage[], bundles: readonly ApiBundle[]): CatalogConfig {
  const config = emptyConfig();
  for (const one of packages) {
    config.packages.push({ name: one.name, defaultChannel: one.defaultChannelName, properties: [] });
    const own = bundles.filter(({ packageName }) => packageName === one.name);
    for (const { name } of one.channels) config.channels.push(toChannel(one.name, name, own));
    config.bundles.push(...new Map(own.map((bundle) => [bundle.csvName, toBlob(bundle)])).values());
    const deprecations = toDeprecations(one, own);
    if (deprecations.entries.length > 0) config.deprecations.push(deprecations);
  }
  return config;
}

function toChannel(packageName: string, name: string, bundles: readonly ApiBundle[]): ChannelBlob {
  const entries = bundles
    .filter(({ channelName }) => channelName === name)
    .map(({ csvName, replaces, skips, skipRange }): ChannelEntry => ({
      name: csvName,
      ...(replaces === "" ? {} : { replaces }),
      skips,
      ...(skipRange === "" ? {} : { skipRange }),
    }));
  return { name, package: packageName, entries, properties: [] };
}

function toBlob({ csvName, packageName, bundlePath, properties, csvJson, object }: ApiBundle): BundleBlob {
  const objects = object.length > 0 ? object : csvJson === "" ? [] : [csvJson];
  const large = objects.map((text): Property => ({
    type: "olm.bundle.object",
    value: { data: Buffer.from(text).toString("base64") },
  }));
  return {
    name: csvName,
    package: packageName,
    image: bundlePath,
    properties: properties.map(({ type, value }) => ({ type, value: parseValue(value) })),
    readLarge: () => large,
    hasObjects: large.length > 0,
    relatedImages: [],
  };
}

/** A server may send values that are no JSON; they stay texts. */
function parseValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function toDeprecations(of: ApiPackage, bundles: readonly ApiBundle[]): DeprecationsBlob {
  const entry = (schema: string, name: string, deprecation: { readonly message: string } | null | undefined) =>
    deprecation === undefined || deprecation === null
      ? []
      : [{ reference: { schema, name }, message: deprecation.message }];
  const once = new Map(bundles.map((bundle) => [bundle.csvName, bundle])).values();
  return {
    package: of.name,
    entries: [
      ...entry(schemas.package, "", of.deprecation),
      ...of.channels.flatMap(({ name, deprecation }) => entry(schemas.channel, name, deprecation)),
      ...[...once].flatMap(({ csvName, deprecation }) => entry(schemas.bundle, csvName, deprecation)),
    ],
  };
}
