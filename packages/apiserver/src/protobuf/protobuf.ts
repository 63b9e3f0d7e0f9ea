/** The protobuf format that client-go and controller-runtime use for all built-in kinds. */
export {
  decodeEnvelope as decodeProtobuf,
  encodeEnvelope as encodeProtobuf,
  encodeItem as encodeProtobufItem,
  encodeListOf as encodeProtobufList,
  type DecodedObject,
  type TypeMeta,
} from "./envelope.ts";
export { decodeWatchEvents, encodeWatchEvent, type WatchEvent } from "./watch-event.ts";
export { ProtobufError, type ProtobufErrorCode } from "./error.ts";
