/** Where a webhook is called: a URL or a service. */
import type { ServiceReference, WebhookClientConfig } from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { checkDns1123Subdomain, checkPortNumber, fieldErrors, type FieldError } from "@capstan/model";
import { webhookUrlErrors } from "@capstan/schema";
import { isEmpty } from "../meta/checks.ts";

/** Exactly one of `url` and `service` must be set. */
export function checkClientConfig({ url, service }: WebhookClientConfig, path: string): FieldError[] {
  if (url !== undefined && service === undefined) return webhookUrlErrors(url, `${path}.url`);
  if (service !== undefined && url === undefined) return checkService(service, `${path}.service`);
  return [fieldErrors.required(path, "exactly one of url or service is required")];
}

function checkService(
  { name, namespace, port = 443, path: urlPath = "" }: ServiceReference,
  path: string,
): FieldError[] {
  const problems = checkPortNumber(port);
  return [
    // kube-apiserver swaps the two paths; the messages are the same here.
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
