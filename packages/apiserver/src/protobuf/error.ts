/** The error of the protobuf codec. */

/** Why bytes could not be read or an object not be written. */
export type ProtobufErrorCode = "NotProtobuf" | "Malformed" | "UnknownKind" | "Unencodable";

/** Bytes that are no protobuf of Kubernetes, or a kind that has none. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
  readonly code: ProtobufErrorCode;

  constructor(code: ProtobufErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
