/** The messages of the registry API of operator-registry, of gRPC health and of gRPC reflection. */
import protobuf from "protobufjs/light.js";

type Fields = { readonly [name: string]: readonly [type: string, id: number, rule?: "repeated"] };

function message(fields: Fields): protobuf.IType {
  return {
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, [type, id, rule]]) => [
        name,
        rule === undefined ? { type, id } : { type, id, rule },
      ]),
    ),
  };
}

const gvk = { group: ["string", 1], version: ["string", 2], kind: ["string", 3], plural: ["string", 4] } as const;
const pair = { type: ["string", 1], value: ["string", 2] } as const;
const entry = {
  packageName: ["string", 1],
  channelName: ["string", 2],
  bundleName: ["string", 3],
  replaces: ["string", 4],
} as const;

const api: { readonly [name: string]: protobuf.IType } = {
  Channel: message({ name: ["string", 1], csvName: ["string", 2], deprecation: ["Deprecation", 3] }),
  PackageName: message({ name: ["string", 1] }),
  Package: message({
    name: ["string", 1],
    channels: ["Channel", 2, "repeated"],
    defaultChannelName: ["string", 3],
    deprecation: ["Deprecation", 4],
  }),
  GroupVersionKind: message(gvk),
  Dependency: message(pair),
  Property: message(pair),
  Bundle: message({
    csvName: ["string", 1],
    packageName: ["string", 2],
    channelName: ["string", 3],
    csvJson: ["string", 4],
    object: ["string", 5, "repeated"],
    bundlePath: ["string", 6],
    providedApis: ["GroupVersionKind", 7, "repeated"],
    requiredApis: ["GroupVersionKind", 8, "repeated"],
    version: ["string", 9],
    skipRange: ["string", 10],
    dependencies: ["Dependency", 11, "repeated"],
    properties: ["Property", 12, "repeated"],
    replaces: ["string", 13],
    skips: ["string", 14, "repeated"],
    deprecation: ["Deprecation", 15],
  }),
  ChannelEntry: message(entry),
  ListPackageRequest: message({}),
  ListBundlesRequest: message({}),
  GetPackageRequest: message({ name: ["string", 1] }),
  GetBundleRequest: message({ pkgName: ["string", 1], channelName: ["string", 2], csvName: ["string", 3] }),
  GetBundleInChannelRequest: message({ pkgName: ["string", 1], channelName: ["string", 2] }),
  GetAllReplacementsRequest: message({ csvName: ["string", 1] }),
  GetReplacementRequest: message({ csvName: ["string", 1], pkgName: ["string", 2], channelName: ["string", 3] }),
  GetAllProvidersRequest: message(gvk),
  GetLatestProvidersRequest: message(gvk),
  GetDefaultProviderRequest: message(gvk),
  Deprecation: message({ message: ["string", 1] }),
};

const health: protobuf.INamespace = {
  nested: {
    HealthCheckRequest: message({ service: ["string", 1] }),
    HealthCheckResponse: {
      nested: { ServingStatus: { values: { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } } },
      ...message({ status: ["ServingStatus", 1] }),
    },
    Health: {
      methods: { Check: { requestType: "HealthCheckRequest", responseType: "HealthCheckResponse", comment: "" } },
    },
  },
};

const reflection: protobuf.INamespace = {
  nested: {
    ServerReflectionRequest: message({
      host: ["string", 1],
      fileByFilename: ["string", 3],
      fileContainingSymbol: ["string", 4],
      listServices: ["string", 7],
    }),
    ServerReflectionResponse: message({
      validHost: ["string", 1],
      originalRequest: ["ServerReflectionRequest", 2],
      fileDescriptorResponse: ["FileDescriptorResponse", 4],
      listServicesResponse: ["ListServiceResponse", 6],
      errorResponse: ["ErrorResponse", 7],
    }),
    FileDescriptorResponse: message({ fileDescriptorProto: ["bytes", 1, "repeated"] }),
    ListServiceResponse: message({ service: ["ServiceResponse", 1, "repeated"] }),
    ServiceResponse: message({ name: ["string", 1] }),
    ErrorResponse: message({ errorCode: ["int32", 1], errorMessage: ["string", 2] }),
  },
};

/** A method of a service: its messages, and whether it streams its responses. */
export interface MethodShape {
  readonly request: string;
  readonly response: string;
  readonly streams: boolean;
}

/** The name of a method of api.Registry. */
export type RegistryMethod =
  | "ListPackages"
  | "GetPackage"
  | "GetBundle"
  | "GetBundleForChannel"
  | "GetChannelEntriesThatReplace"
  | "GetBundleThatReplaces"
  | "GetChannelEntriesThatProvide"
  | "GetLatestChannelEntriesThatProvide"
  | "GetDefaultBundleThatProvides"
  | "ListBundles";

/** The methods of api.Registry. */
export const registryMethods: { readonly [name in RegistryMethod]: MethodShape } = {
  ListPackages: { request: "ListPackageRequest", response: "PackageName", streams: true },
  GetPackage: { request: "GetPackageRequest", response: "Package", streams: false },
  GetBundle: { request: "GetBundleRequest", response: "Bundle", streams: false },
  GetBundleForChannel: { request: "GetBundleInChannelRequest", response: "Bundle", streams: false },
  GetChannelEntriesThatReplace: { request: "GetAllReplacementsRequest", response: "ChannelEntry", streams: true },
  GetBundleThatReplaces: { request: "GetReplacementRequest", response: "Bundle", streams: false },
  GetChannelEntriesThatProvide: { request: "GetAllProvidersRequest", response: "ChannelEntry", streams: true },
  GetLatestChannelEntriesThatProvide: { request: "GetLatestProvidersRequest", response: "ChannelEntry", streams: true },
  GetDefaultBundleThatProvides: { request: "GetDefaultProviderRequest", response: "Bundle", streams: false },
  ListBundles: { request: "ListBundlesRequest", response: "Bundle", streams: true },
};

const services: { readonly [name: string]: protobuf.IService } = {
  Registry: {
    methods: Object.fromEntries(
      Object.entries(registryMethods).map(([name, { request, response, streams }]) => [
        name,
        { requestType: request, responseType: response, comment: "", ...(streams ? { responseStream: true } : {}) },
      ]),
    ),
  },
};

let built: protobuf.Root | undefined;

/** The types by their full names. They are built on first use. */
export function messageTypes(): protobuf.Root {
  built ??= protobuf.Root.fromJSON({
    nested: {
      api: { nested: { ...api, ...services } },
      grpc: { nested: { health: { nested: { v1: health } }, reflection: { nested: { v1: reflection } } } },
    },
  });
  return built;
}

/** Writes and reads one message. */
export interface Codec {
  readonly serialize: (value: object) => Buffer;
  readonly deserialize: (bytes: Buffer) => { readonly [field: string]: unknown };
}

/** The codec of a message. Reading fills in what the wire leaves out. */
export function codecOf(name: string): Codec {
  const type = messageTypes().lookupType(name);
  return {
    serialize: (value) => Buffer.from(type.encode(type.fromObject(value)).finish()),
    deserialize: (bytes) => type.toObject(type.decode(bytes), { defaults: true, arrays: true, longs: Number }),
  };
}
