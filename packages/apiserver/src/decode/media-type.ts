/** The format of a request body. */
import { StatusError, toFailure } from "@capstan/model";
import { mediaTypes, type Format } from "../encode/media.ts";

const formats = new Map<string, Format>([
  [mediaTypes.json, "json"],
  [mediaTypes.yaml, "yaml"],
  [mediaTypes.protobuf, "protobuf"],
]);

/** The format of a Content-Type. Default: JSON. Throws 415 for an unknown one. */
export function formatOfBody(contentType: string | undefined, accepted: readonly Format[]): Format {
  if (contentType === undefined || contentType === "") return "json";
  const semicolon = contentType.indexOf(";");
  const type = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
  const format = semicolon < 0 || hasSoundParameters(contentType) ? formats.get(type) : undefined;
  if (format !== undefined && accepted.includes(format)) return format;
  throw unsupportedMediaType(accepted.map((one) => mediaTypes[one]));
}

/** Go accepts parameters of a media type only if each has a name and a value. */
function hasSoundParameters(contentType: string): boolean {
  const [, ...parameters] = contentType.split(";");
  return parameters.every((parameter, index) => {
    const isEnd = parameter.trim() === "" && index === parameters.length - 1;
    return isEnd || /^\s*[^\s=;"]+=("[^"]*"|[^\s=;"]+)\s*$/.test(parameter);
  });
}

/** The error for a body in an unsupported format. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return new StatusError(toFailure({ code: 415, reason: "UnsupportedMediaType", message }));
}
