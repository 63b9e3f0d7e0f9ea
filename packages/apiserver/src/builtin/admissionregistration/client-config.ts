/** Where a webhook is called: a URL or a service. */
import type { ServiceReference, WebhookClientConfig } from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { checkDns1123Subdomain, checkPortNumber, fieldErrors, type FieldError } from "@capstan/model";
import { isEmpty } from "../meta/checks.ts";

/** Exactly one of both must be there. */
export function checkClientConfig({ url, service }: WebhookClientConfig, path: string): FieldError[] {
  if (url !== undefined && service === undefined) return checkUrl(url, `${path}.url`);
  if (service !== undefined && url === undefined) return checkService(service, `${path}.service`);
  return [fieldErrors.required(path, "exactly one of url or service is required")];
}

const form = "; desired format: https://host[/path]";
const urlParts = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s;

function checkUrl(url: string, path: string): FieldError[] {
  const [, scheme = "", user, host = "", query = "", fragment = ""] = urlParts.exec(url) ?? [];
  const errors: FieldError[] = [];
  const refuse = (value: string, why: string): void => void errors.push(fieldErrors.invalid(path, value, why));
  if (scheme.toLowerCase() !== "https") refuse(scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`);
  if (host === "") refuse(host, `host must be specified${form}`);
  if (user !== undefined) refuse(user, "user information is not permitted in the URL");
  if (fragment !== "") refuse(fragment, "fragments are not permitted in the URL");
  if (query !== "") refuse(query, "query parameters are not permitted in the URL");
  return errors;
}

function checkService(
  { name, namespace, port = 443, path: urlPath = "" }: ServiceReference,
  path: string,
): FieldError[] {
  const problems = checkPortNumber(port);
  return [
    // The real server mixes both up, and so do we.
    ...(isEmpty(namespace) ? [fieldErrors.required(`${path}.name`)] : []),
    ...(isEmpty(name) ? [fieldErrors.required(`${path}.namespace`)] : []),
    ...(problems.length === 0
      ? []
      : [fieldErrors.invalid(`${path}.port`, port, `port is not valid: ${problems.join(", ")}`)]),
    ...checkServicePath(urlPath, `${path}.path`),
  ];
}

function checkServicePath(text: string, path: string): FieldError[] {
  if (text === "" || text === "/") return [];
  const refuse = (why: string): FieldError => fieldErrors.invalid(path, text, why);
  if (text === "//") return [refuse("segment[0] may not be empty")];
  const segments = text.slice(1).replace(/\/$/, "").split("/");
  return [
    ...(text.startsWith("/") ? [] : [refuse("must start with a '/'")]),
    ...segments.flatMap((segment, index) =>
      segment === ""
        ? [refuse(`segment[${index}] may not be empty`)]
        : checkDns1123Subdomain(segment).map((why) => refuse(`segment[${index}]: ${why}`)),
    ),
  ];
}
