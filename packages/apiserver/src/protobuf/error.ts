/** The error of the protobuf codec. */
import type { GroupVersionKind } from "@capstan/model";

/** Why bytes could not be read or an object not be written. */
export type ProtobufErrorCode = "NotProtobuf" | "Malformed" | "UnknownKind" | "Unencodable";

/** Bytes that are no protobuf of Kubernetes, or a kind that has none. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
  readonly code: ProtobufErrorCode;
  /** What the object is said to be, where that could be read. */
  readonly said: GroupVersionKind | undefined;

  constructor(code: ProtobufErrorCode, message: string, options?: ErrorOptions & { readonly said?: GroupVersionKind }) {
    super(message, options);
    this.code = code;
    this.said = options?.said;
  }
}
