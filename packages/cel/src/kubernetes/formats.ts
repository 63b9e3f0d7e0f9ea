/** Named formats: `format.dns1123Label().validate(x)`. */

import type { FunctionDeclaration } from "../check/declarations.ts";
import { member, overload } from "../check/declarations.ts";
import type { PatternSized } from "../cost/track.ts";
import type { Library } from "../library/library.ts";
import { listOf, objectType, optionalOf, STRING, type Type } from "../type.ts";
import type { CelError, CelValue } from "../values/value.ts";
import { ArrayList, CelObject, CelOptional, noSuchOverload } from "../values/value.ts";
import type { Validator } from "./names.ts";
import { asPrefix, dns1035Label, dnsLabel, dnsSubdomain, labelValue, qualifiedName } from "./names.ts";
import { requestUriProblem } from "./urls.ts";

export const NAMED_FORMAT: Type = objectType("kubernetes.NamedFormat");

/** A format that strings can be checked against. */
export class CelFormat extends CelObject implements PatternSized {
  override readonly type: Type = NAMED_FORMAT;
  readonly name: string;
  readonly validate: Validator;
  readonly patternSize: number;

  constructor(name: string, patternSize: number, validate: Validator) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.validate = validate;
  }

  override equals(other: CelValue): boolean | CelError {
    return other instanceof CelFormat ? this.name === other.name : noSuchOverload();
  }
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const CLOCK = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/;

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!parts) return false;
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isDateTime(text: string): boolean {
  const [date = "", clock] = text.toLowerCase().split("t");
  const parts = clock === undefined || !isDate(date) ? null : CLOCK.exec(clock);
  return parts !== null && Number(parts[1]) <= 23 && Number(parts[2]) <= 59 && Number(parts[3]) <= 59;
}

function when(test: (text: string) => boolean, problem: string): Validator {
  return (text) => (test(text) ? [] : [problem]);
}

const uri: Validator = (text) => {
  const problem = requestUriProblem(text);
  return problem === undefined ? [] : [problem];
};

/** Each with the length of the pattern that Kubernetes bills for it. */
const FORMATS: ReadonlyMap<string, CelFormat> = new Map([
  ["dns1123Label", new CelFormat("DNS1123Label", 30, dnsLabel)],
  ["dns1123Subdomain", new CelFormat("DNS1123Subdomain", 60, dnsSubdomain)],
  ["dns1035Label", new CelFormat("DNS1035Label", 30, dns1035Label)],
  ["qualifiedName", new CelFormat("QualifiedName", 60, qualifiedName)],
  ["dns1123LabelPrefix", new CelFormat("DNS1123LabelPrefix", 30, asPrefix(dnsLabel))],
  ["dns1123SubdomainPrefix", new CelFormat("DNS1123SubdomainPrefix", 60, asPrefix(dnsSubdomain))],
  ["dns1035LabelPrefix", new CelFormat("DNS1035LabelPrefix", 30, asPrefix(dns1035Label))],
  ["labelValue", new CelFormat("LabelValue", 40, labelValue)],
  ["uri", new CelFormat("URI", 1103, uri)],
  [
    "uuid",
    new CelFormat(
      "uuid",
      70,
      when((text) => UUID.test(text), "does not match the UUID format"),
    ),
  ],
  [
    "byte",
    new CelFormat(
      "byte",
      84,
      when((text) => BASE64.test(text), "invalid base64"),
    ),
  ],
  ["date", new CelFormat("date", 71, when(isDate, "invalid date"))],
  ["datetime", new CelFormat("datetime", 71, when(isDateTime, "invalid datetime"))],
]);

function constant([name, format]: readonly [string, CelFormat]): FunctionDeclaration {
  return { name: `format.${name}`, overloads: [overload(`format.${name}`, [], NAMED_FORMAT, () => format)] };
}

function validate(format: CelFormat, text: string): CelOptional {
  const problems = format.validate(text);
  return problems.length === 0 ? CelOptional.none : CelOptional.of(new ArrayList([...problems]));
}

export const FORMAT_LIBRARY: Library = {
  name: "kubernetes.format",
  functions: [
    {
      name: "validate",
      overloads: [
        member("format-validate", [NAMED_FORMAT, STRING], optionalOf(listOf(STRING)), (format, text) =>
          validate(format as CelFormat, text as string),
        ),
      ],
    },
    {
      name: "format.named",
      overloads: [
        overload("format-named", [STRING], optionalOf(NAMED_FORMAT), (name) => {
          const format = FORMATS.get(name as string);
          return format ? CelOptional.of(format) : CelOptional.none;
        }),
      ],
    },
    ...[...FORMATS].map(constant),
  ],
};
