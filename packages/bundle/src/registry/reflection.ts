/** gRPC reflection: tells clients such as grpcurl which services and messages there are. */
import type { ServerDuplexStream, ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";
import descriptor from "protobufjs/ext/descriptor/index.js";
import { codecOf, messageTypes } from "./messages.ts";

/** The services that clients can discover. */
const services = ["api.Registry", "grpc.health.v1.Health"] as const;

/** A service with its implementation. */
export interface ServiceParts {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** Reflection under one of the two names that clients ask for. */
export function reflectionService(version: "v1" | "v1alpha"): ServiceParts {
  const [input, output] = [
    codecOf("grpc.reflection.v1.ServerReflectionRequest"),
    codecOf("grpc.reflection.v1.ServerReflectionResponse"),
  ];
  return {
    definition: {
      ServerReflectionInfo: {
        path: `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
        requestStream: true,
        responseStream: true,
        requestSerialize: input.serialize,
        requestDeserialize: input.deserialize,
        responseSerialize: output.serialize,
        responseDeserialize: output.deserialize,
      },
    },
    implementation: {
      ServerReflectionInfo: (call: ServerDuplexStream<Request, object>): void => {
        call.on("data", (request: Request) => call.write({ originalRequest: request, ...answer(request) }));
        call.on("end", () => call.end());
      },
    },
  };
}

interface Request {
  readonly fileByFilename: string;
  readonly fileContainingSymbol: string;
  readonly listServices: string;
}

const notFound = 5;

function answer({ fileByFilename, fileContainingSymbol, listServices }: Request): object {
  if (listServices !== "") return { listServicesResponse: { service: services.map((name) => ({ name })) } };
  const wanted = fileContainingSymbol === "" ? fileByFilename : fileContainingSymbol;
  const found = files().find(({ name, package: of }) => name === wanted || wanted.startsWith(`${of}.`));
  if (found === undefined)
    return { errorResponse: { errorCode: notFound, errorMessage: `no file contains ${wanted}` } };
  return { fileDescriptorResponse: { fileDescriptorProto: [found.bytes] } };
}

interface DescribedFile {
  readonly name: string;
  readonly package: string;
  readonly bytes: Uint8Array;
}

let known: DescribedFile[] | undefined;

/** The files that describe the messages. */
function files(): DescribedFile[] {
  // The import above adds the method; the types of the library do not show it.
  const root = messageTypes() as unknown as { toDescriptor: (syntax: string) => descriptor.IFileDescriptorSet };
  known ??= (root.toDescriptor("proto3").file ?? []).map((file) => ({
    name: file.name ?? "",
    package: file.package ?? "",
    bytes: descriptor.FileDescriptorProto.encode(file).finish(),
  }));
  return known;
}
