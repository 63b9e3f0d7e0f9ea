/** The names that Kubernetes accepts, and its messages for others. */

import { encodeUtf8 } from "../values/text.ts";

/** The problems with a text; none means that it is fine. */
export type Validator = (text: string) => readonly string[];

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${LABEL_KEY})?`;

const LABEL_MESSAGE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const LABEL_1035_MESSAGE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const KEY_MESSAGE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const VALUE_MESSAGE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);
const label1035Pattern = new RegExp(`^${LABEL_1035}$`);
const keyPattern = new RegExp(`^${LABEL_KEY}$`);
const valuePattern = new RegExp(`^${LABEL_VALUE}$`);

function tooLong(text: string, limit: number): readonly string[] {
  return encodeUtf8(text).length > limit ? [`must be no more than ${limit} characters`] : [];
}

function patternMessage(message: string, pattern: string, examples: readonly string[]): string {
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${pattern}')`;
}

export const dnsLabel: Validator = (text) => {
  const problems = [...tooLong(text, 63)];
  if (labelPattern.test(text)) return problems;
  if (subdomainPattern.test(text)) return [...problems, "must not contain dots"];
  return [...problems, patternMessage(LABEL_MESSAGE, LABEL, ["my-name", "123-abc"])];
};

export const dnsSubdomain: Validator = (text) => {
  const problems = [...tooLong(text, 253)];
  if (!subdomainPattern.test(text)) problems.push(patternMessage(SUBDOMAIN_MESSAGE, SUBDOMAIN, ["example.com"]));
  return problems;
};

export const dns1035Label: Validator = (text) => {
  const problems = [...tooLong(text, 63)];
  if (!label1035Pattern.test(text)) {
    problems.push(patternMessage(LABEL_1035_MESSAGE, LABEL_1035, ["my-name", "abc-123"]));
  }
  return problems;
};

const KEY_EXAMPLES = ["MyName", "my.name", "123-abc"];

export const qualifiedName: Validator = (text) => {
  const parts = text.split("/");
  if (parts.length > 2) {
    const form = patternMessage(KEY_MESSAGE, LABEL_KEY, KEY_EXAMPLES);
    return [`a valid label key ${form} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? "";
  return [...(parts.length === 2 ? prefixProblems(parts[0] ?? "") : []), ...keyProblems(name)];
};

function prefixProblems(prefix: string): readonly string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  return dnsSubdomain(prefix).map((problem) => `prefix part ${problem}`);
}

function keyProblems(name: string): readonly string[] {
  const problems =
    name === "" ? ["name part must be non-empty"] : tooLong(name, 63).map((problem) => `name part ${problem}`);
  if (keyPattern.test(name)) return problems;
  return [...problems, `name part ${patternMessage(KEY_MESSAGE, LABEL_KEY, KEY_EXAMPLES)}`];
}

export const labelValue: Validator = (text) => {
  const problems = [...tooLong(text, 63)];
  if (!valuePattern.test(text))
    problems.push(patternMessage(VALUE_MESSAGE, LABEL_VALUE, ["MyValue", "my_value", "12345"]));
  return problems;
};

/** The same for something that a suffix will be added to, where a trailing dash is fine. */
export function asPrefix(validator: Validator): Validator {
  return (text) => validator(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);
}
