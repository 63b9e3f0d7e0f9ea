/** Serves a catalog by the registry gRPC API, with health checks and reflection, as `opm serve` does. */
import type {
  sendUnaryData,
  Server,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { CatalogError } from "../catalog/errors.ts";
import type { Catalog } from "../catalog/model.ts";
import { toApiBundle } from "./api-bundle.ts";
import { codecOf, type RegistryMethod, registryMethods } from "./messages.ts";
import {
  allBundles,
  entriesThatProvide,
  entriesThatReplace,
  findBundle,
  findDefaultProvider,
  findHead,
  findPackage,
  findReplacement,
  type KindName,
} from "./query.ts";
import { reflectionService } from "./reflection.ts";

/** Where to listen and what to serve. The catalog is asked for at each request, so that it can be replaced. */
export interface RegistryServerOptions {
  readonly catalog: () => Catalog;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** A server that runs until it is disposed of. */
export interface RegistryServer extends AsyncDisposable {
  readonly address: string;
}

type Request = { readonly [field: string]: unknown };

/** Starts to serve. */
export async function startRegistryServer(options: RegistryServerOptions): Promise<RegistryServer> {
  // The library takes a fifth of a second to load, which only a server or client of catalogs should spend.
  const grpc = await import("@grpc/grpc-js");
  const server = new grpc.Server({ "grpc.max_receive_message_length": 2 ** 20 });
  server.addService(registryDefinition(), implementation(options.catalog, grpc.status.UNKNOWN));
  server.addService(healthDefinition(), healthImplementation());
  for (const version of ["v1", "v1alpha"] as const) {
    const { definition, implementation: reflect } = reflectionService(version);
    server.addService(definition, reflect);
  }
  const port = await bind(server, { ...options, credentials: grpc.ServerCredentials.createInsecure() });
  return {
    address: `${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.forceShutdown();
    },
  };
}

type Binding = RegistryServerOptions & { readonly credentials: Parameters<Server["bindAsync"]>[1] };

async function bind(server: Server, { host, port, credentials }: Binding): Promise<number> {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, bound) => {
      if (error === null) resolve(bound);
      else
        reject(
          new CatalogError("Unavailable", `cannot listen on ${address}: ${error.message}; choose another port`, {
            cause: error,
          }),
        );
    });
  });
}

/** The definition of api.Registry, for servers and clients. */
export function registryDefinition(): ServiceDefinition {
  return Object.fromEntries(
    Object.entries(registryMethods).map(([name, { request, response, streams }]) => {
      const [input, output] = [codecOf(`api.${request}`), codecOf(`api.${response}`)];
      return [
        name,
        {
          path: `/api.Registry/${name}`,
          requestStream: false,
          responseStream: streams,
          requestSerialize: input.serialize,
          requestDeserialize: input.deserialize,
          responseSerialize: output.serialize,
          responseDeserialize: output.deserialize,
        },
      ];
    }),
  );
}

/** The answer of each method: a value, or the values of a stream. */
function answers(catalog: Catalog): { readonly [name in RegistryMethod]: (request: Request) => object } {
  const textOf = (request: Request, field: string): string => {
    const value = request[field];
    return typeof value === "string" ? value : "";
  };
  const kindOf = (request: Request): KindName => ({
    group: textOf(request, "group"),
    version: textOf(request, "version"),
    kind: textOf(request, "kind"),
  });
  const nameOf = (request: Request): { pkgName: string; channelName: string; csvName: string } => ({
    pkgName: textOf(request, "pkgName"),
    channelName: textOf(request, "channelName"),
    csvName: textOf(request, "csvName"),
  });
  return {
    ListPackages: () => [...catalog.packages.keys()].map((name) => ({ name })),
    GetPackage: (request) => findPackage(catalog, textOf(request, "name")),
    GetBundle: (request) => toApiBundle(findBundle(catalog, nameOf(request)), "single"),
    GetBundleForChannel: (request) => toApiBundle(findHead(catalog, nameOf(request)), "single"),
    GetChannelEntriesThatReplace: (request) => entriesThatReplace(catalog, textOf(request, "csvName")),
    GetBundleThatReplaces: (request) => toApiBundle(findReplacement(catalog, nameOf(request)), "single"),
    GetChannelEntriesThatProvide: (request) => entriesThatProvide(catalog, kindOf(request), "all"),
    GetLatestChannelEntriesThatProvide: (request) => entriesThatProvide(catalog, kindOf(request), "heads"),
    GetDefaultBundleThatProvides: (request) => toApiBundle(findDefaultProvider(catalog, kindOf(request)), "single"),
    ListBundles: () => listBundles(catalog),
  };
}

/** The bundles of a list are made one at a time, as fast as the client reads them. */
function* listBundles(catalog: Catalog): Generator<object> {
  for (const place of allBundles(catalog)) yield toApiBundle(place, "listed");
}

function implementation(catalog: () => Catalog, unknown: number): UntypedServiceImplementation {
  const failed = (error: unknown): { code: number; details: string } => ({
    code: unknown,
    details: error instanceof Error ? error.message : String(error),
  });
  return Object.fromEntries(
    Object.entries(registryMethods).map(([name, { streams }]) => {
      // The keys are those of the table.
      const answer = (request: Request): object => answers(catalog())[name as RegistryMethod](request);
      return [name, streams ? toStream(answer, failed) : toUnary(answer, failed)];
    }),
  );
}

type Answer = (request: Request) => object;
type Failed = (error: unknown) => { readonly code: number; readonly details: string };

function toUnary(answer: Answer, failed: Failed) {
  return (call: ServerUnaryCall<Request, object>, callback: sendUnaryData<object>): void => {
    try {
      callback(null, answer(call.request));
    } catch (error) {
      callback(failed(error));
    }
  };
}

function toStream(answer: Answer, failed: Failed) {
  return (call: ServerWritableStream<Request, object>): void => {
    void sendAll(call, answer).catch((error: unknown) => call.emit("error", failed(error)));
  };
}

async function sendAll(call: ServerWritableStream<Request, object>, answer: Answer): Promise<void> {
  for (const item of answer(call.request) as Iterable<object>) {
    if (call.cancelled) return;
    if (!call.write(item)) await drained(call);
  }
  call.end();
}

/** A client that goes away never drains. */
async function drained(call: ServerWritableStream<Request, object>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      call.off("drain", done);
      call.off("cancelled", done);
      resolve();
    };
    call.once("drain", done);
    call.once("cancelled", done);
  });
}

function healthDefinition(): ServiceDefinition {
  const [input, output] = [codecOf("grpc.health.v1.HealthCheckRequest"), codecOf("grpc.health.v1.HealthCheckResponse")];
  return {
    Check: {
      path: "/grpc.health.v1.Health/Check",
      requestStream: false,
      responseStream: false,
      requestSerialize: input.serialize,
      requestDeserialize: input.deserialize,
      responseSerialize: output.serialize,
      responseDeserialize: output.deserialize,
    },
  };
}

/** 1 is SERVING. */
function healthImplementation(): UntypedServiceImplementation {
  return {
    Check: (_call: unknown, callback: sendUnaryData<object>): void => {
      callback(null, { status: 1 });
    },
  };
}
