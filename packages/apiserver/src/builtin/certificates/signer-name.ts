/** Names of signers: a domain and a path, such as `example.com/signer`. */
import { checkDns1123Label, checkDns1123Subdomain, fieldErrors, type FieldError } from "@capstan/model";

const maxDomain = 253;
const maxName = maxDomain + 1 + (253 + 63 + 1);

/** Checks the domain and the path. */
export function checkSignerName(name: string, path: string): FieldError[] {
  if (name === "") return [fieldErrors.required(path)];
  const [domain = "", signer, ...more] = name.split("/");
  if (signer === undefined || more.length > 0) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [fieldErrors.invalid(path, name, why)];
  }
  const isShort = !domain.includes(".");
  const short = "should be a domain with at least two segments separated by dots";
  return [
    ...(domain.length > maxDomain ? [fieldErrors.tooLong(path, maxDomain)] : []),
    ...checkLabels(domain, path, checkDns1123Label),
    ...(isShort ? [fieldErrors.invalid(path, domain, short)] : []),
    ...checkLabels(signer, path, checkDns1123Subdomain),
    ...(name.length > maxName ? [fieldErrors.tooLong(path, maxName)] : []),
  ];
}

/** The errors of the first invalid label. */
function checkLabels(text: string, path: string, check: (label: string) => readonly string[]): FieldError[] {
  const bad = text.split(".").find((label) => check(label).length > 0);
  if (bad === undefined) return [];
  return check(bad).map((why) => fieldErrors.invalid(path, text, `validating label ${JSON.stringify(bad)}: ${why}`));
}
