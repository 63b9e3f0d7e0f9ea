/** Validation of names, with the messages of the API server; no message means that the name is valid. */
import { byteLength } from "./go-text.ts";

const dns1123Label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const dns1123LabelWithUnderscore = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const dns1123Subdomain = `${dns1123Label}(\\.${dns1123Label})*`;
const dns1123SubdomainWithUnderscore = `${dns1123LabelWithUnderscore}(\\.${dns1123LabelWithUnderscore})*`;
const dns1035Label = "[a-z]([-a-z0-9]*[a-z0-9])?";
const wildcardSubdomain = `\\*\\.${dns1123Subdomain}`;
const cIdentifier = "[A-Za-z_][A-Za-z0-9_]*";
const labelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${labelKey})?`;
const envVarName = "[-._a-zA-Z][-._a-zA-Z0-9]*";
const configMapKey = "[-._a-zA-Z0-9]+";
const httpHeaderName = "[-A-Za-z0-9]+";
const percent = "[0-9]+%";

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const dns1123LabelForm = whole(dns1123Label);
const dns1123SubdomainForm = whole(dns1123Subdomain);
const dns1123SubdomainWithUnderscoreForm = whole(dns1123SubdomainWithUnderscore);
const dns1035LabelForm = whole(dns1035Label);
const wildcardSubdomainForm = whole(wildcardSubdomain);
const cIdentifierForm = whole(cIdentifier);
const labelKeyForm = whole(labelKey);
const labelValueForm = whole(labelValue);
const envVarNameForm = whole(envVarName);
const configMapKeyForm = whole(configMapKey);
const httpHeaderNameForm = whole(httpHeaderName);
const percentForm = whole(percent);

const subdomainSentence =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const labelKeySentence =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** The message for a text with too many characters. */
export function maxLengthMessage(length: number): string {
  return `must be no more than ${length} characters`;
}

/** The message for a text with too many bytes, as for label keys and values. */
export function maxBytesMessage(length: number): string {
  return `must be no more than ${length} bytes`;
}

/** The message for a malformed text. */
export function patternMessage(sentence: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${sentence} (regex used for validation is '${pattern}')`;
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${sentence} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}

/** The message for a number that is out of bounds. */
export function rangeMessage(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

/** An RFC 1123 DNS label: the names of namespaces, containers, volumes. */
export function checkDns1123Label(value: string): string[] {
  const messages = tooLong(value, 63);
  if (dns1123LabelForm.test(value)) return messages;
  if (dns1123SubdomainForm.test(value)) messages.push("must not contain dots");
  else {
    const sentence =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
    messages.push(patternMessage(sentence, dns1123Label, "my-name", "123-abc"));
  }
  return messages;
}

/** An RFC 1123 DNS subdomain: the names of most objects. */
export function checkDns1123Subdomain(value: string): string[] {
  const messages = tooLong(value, 253);
  if (!dns1123SubdomainForm.test(value))
    messages.push(patternMessage(subdomainSentence, dns1123Subdomain, "example.com"));
  return messages;
}

/** A DNS subdomain that may have underscores: resolver searches. */
export function checkDns1123SubdomainWithUnderscore(value: string): string[] {
  const messages = tooLong(value, 253);
  if (!dns1123SubdomainWithUnderscoreForm.test(value)) {
    const sentence =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
    messages.push(patternMessage(sentence, dns1123SubdomainWithUnderscore, "example.com"));
  }
  return messages;
}

/** An RFC 1035 DNS label: the names of services. */
export function checkDns1035Label(value: string): string[] {
  const messages = tooLong(value, 63);
  if (!dns1035LabelForm.test(value)) {
    const sentence =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
    messages.push(patternMessage(sentence, dns1035Label, "my-name", "abc-123"));
  }
  return messages;
}

/** A host with a wildcard as its first label: `*.example.com`. */
export function checkWildcardDns1123Subdomain(value: string): string[] {
  const messages = tooLong(value, 253);
  if (!wildcardSubdomainForm.test(value)) {
    const sentence =
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
    messages.push(patternMessage(sentence, wildcardSubdomain, "*.example.com"));
  }
  return messages;
}

/** A qualified name: a label or annotation key, a condition type, a finalizer, with an optional `prefix/`. */
export function checkQualifiedName(value: string): string[] {
  const parts = value.split("/");
  const form = patternMessage(labelKeySentence, labelKey, "MyName", "my.name", "123-abc");
  if (parts.length > 2) {
    return [`a valid label key ${form} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const messages = parts.length === 2 ? checkPrefix(parts[0] ?? "") : [];
  const name = parts.at(-1) ?? "";
  if (name === "") messages.push("name part must be non-empty");
  else if (byteLength(name) > 63) messages.push(`name part ${maxBytesMessage(63)}`);
  if (!labelKeyForm.test(name)) messages.push(`name part ${form}`);
  return messages;
}

function checkPrefix(prefix: string): string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  const messages = byteLength(prefix) > 253 ? [`prefix part ${maxBytesMessage(253)}`] : [];
  if (!dns1123SubdomainForm.test(prefix)) {
    messages.push(`prefix part ${patternMessage(subdomainSentence, dns1123Subdomain, "example.com")}`);
  }
  return messages;
}

/** The value of a label. */
export function checkLabelValue(value: string): string[] {
  const messages = byteLength(value) > 63 ? [maxBytesMessage(63)] : [];
  if (!labelValueForm.test(value)) {
    const sentence =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    messages.push(patternMessage(sentence, labelValue, "MyValue", "my_value", "12345"));
  }
  return messages;
}

/** An identifier of the C language. */
export function checkCIdentifier(value: string): string[] {
  if (cIdentifierForm.test(value)) return [];
  const sentence =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  return [patternMessage(sentence, cIdentifier, "my_name", "MY_NAME", "MyName")];
}

/** The number of a port. */
export function checkPortNumber(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : [rangeMessage(1, 65535)];
}

/** The name of a port, according to RFC 6335 in lower case. */
export function checkPortName(port: string): string[] {
  const messages = tooLong(port, 15);
  if (!/^[-a-z0-9]+$/.test(port)) {
    messages.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(port)) messages.push("must contain at least one letter (a-z)");
  if (port.includes("--")) messages.push("must not contain consecutive hyphens");
  if (port.startsWith("-") || port.endsWith("-")) messages.push("must not begin or end with a hyphen");
  return messages;
}

/** A percentage: digits and a percent sign. */
export function checkPercent(value: string): string[] {
  if (percentForm.test(value)) return [];
  const sentence = "a valid percent string must be a numeric string followed by an ending '%'";
  return [patternMessage(sentence, percent, "1%", "93%")];
}

/** The name of an HTTP header. */
export function checkHttpHeaderName(value: string): string[] {
  if (httpHeaderNameForm.test(value)) return [];
  const sentence = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [patternMessage(sentence, httpHeaderName, "X-Header-Name")];
}

/** The name of an environment variable, with the former restrictions. */
export function checkEnvVarName(value: string): string[] {
  const messages: string[] = [];
  if (!envVarNameForm.test(value)) {
    const sentence =
      "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit";
    messages.push(patternMessage(sentence, envVarName, "my.env-name", "MY_ENV.NAME", "MyEnvName1"));
  }
  return [...messages, ...leavesFolder(value)];
}

/** The name of an environment variable, as pods may have it: printable ASCII without the equals sign. */
export function checkRelaxedEnvVarName(value: string): string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  if (/^[ -<>-~]+$/.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** A key in the data of a ConfigMap or Secret. */
export function checkConfigMapKey(value: string): string[] {
  const messages = tooLong(value, 253);
  if (!configMapKeyForm.test(value)) {
    const sentence = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    messages.push(patternMessage(sentence, configMapKey, "key.name", "KEY_NAME", "key-name"));
  }
  return [...messages, ...leavesFolder(value)];
}

/** A segment of a request path: the minimum for the name of any object. */
export function checkPathSegment(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((illegal) => name.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
}

function tooLong(value: string, limit: number): string[] {
  return byteLength(value) > limit ? [maxLengthMessage(limit)] : [];
}

function leavesFolder(value: string): string[] {
  if (value === "." || value === "..") return [`must not be '${value}'`];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}
