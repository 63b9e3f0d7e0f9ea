/** The error of the protobuf codec. */
import type { GroupVersionKind } from "@capstan/model";

/** Why bytes cannot be read or an object cannot be written. */
export type ProtobufErrorCode = "NotProtobuf" | "Malformed" | "UnknownKind" | "Unencodable";

/** Bytes that are not protobuf of Kubernetes, or a kind without protobuf. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
  readonly code: ProtobufErrorCode;
  /** The kind in the envelope, if it could be read. */
  readonly said: GroupVersionKind | undefined;

  constructor(code: ProtobufErrorCode, message: string, options?: ErrorOptions & { readonly said?: GroupVersionKind }) {
    super(message, options);
    this.code = code;
    this.said = options?.said;
  }
}
