/** Names of drivers, pools, devices and their attributes. */
import { byteLength, checkCIdentifier, fieldErrors, type FieldError } from "@capstan/model";
import { checkSubdomain, invalidEach } from "../meta/checks.ts";
import { checkDriverName } from "../pod-template/volume-sources.ts";

const maxPoolBytes = 253;
const maxIdBytes = 32;

/** The name of a pool: DNS subdomains separated by slashes. */
export function checkPoolName(name: string, path: string): FieldError[] {
  if (name === "") return [fieldErrors.required(path)];
  return [
    ...(byteLength(name) > maxPoolBytes ? [fieldErrors.tooLong(path, maxPoolBytes)] : []),
    ...name.split("/").flatMap((part) => checkSubdomain(part, path)),
  ];
}

/** The name of an attribute or capacity: a C identifier, optionally with a domain. */
export function checkAttributeName(name: string, path: string): FieldError[] {
  const [first = "", second, ...others] = name.split("/");
  if (second === undefined) return checkId(first, path);
  // kube-apiserver accepts more than one slash as well.
  if (others.length > 0) return [];
  return [
    ...(first === "" ? [fieldErrors.invalid(path, "", "the domain must not be empty")] : checkDriverName(first, path)),
    ...(second === "" ? [fieldErrors.invalid(path, "", "the name must not be empty")] : checkId(second, path)),
  ];
}

/** Requires an attribute name with a domain. */
export function checkFullAttributeName(name: string, path: string): FieldError[] {
  const why = "a fully qualified name must be a domain and a name separated by a slash";
  return [
    ...checkAttributeName(name, path),
    ...(name.includes("/") ? [] : [fieldErrors.invalid(path, fieldErrors.named(name), why)]),
  ];
}

function checkId(id: string, path: string): FieldError[] {
  return [
    ...(byteLength(id) > maxIdBytes ? [fieldErrors.tooLong(path, maxIdBytes)] : []),
    ...invalidEach(path, id, checkCIdentifier(id)),
  ];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Checks the ID of a share of a device. */
export function checkShare(id: string, path: string): FieldError[] {
  if (uuid.test(id)) return [];
  if (!uuid.test(id.toLowerCase())) {
    const why = id.length === 36 ? "invalid UUID format" : `invalid UUID length: ${id.length}`;
    return [fieldErrors.invalid(path, id, `error validating uid: ${why}`)];
  }
  const form =
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
  return [fieldErrors.invalid(path, id, form)];
}
