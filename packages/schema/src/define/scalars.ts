/** Schemas of single values. */
import { Schema } from "./schema.ts";

/** Formats of strings that the API server checks. */
export type StringFormat =
  | "bsonobjectid"
  | "uri"
  | "email"
  | "hostname"
  | "ipv4"
  | "ipv6"
  | "cidr"
  | "mac"
  | "uuid"
  | "uuid3"
  | "uuid4"
  | "uuid5"
  | "isbn"
  | "isbn10"
  | "isbn13"
  | "creditcard"
  | "ssn"
  | "hexcolor"
  | "rgbcolor"
  | "byte"
  | "password"
  | "date"
  | "duration"
  | "date-time"
  | "k8s-short-name"
  | "k8s-long-name";

/** A string. Lengths count code points; patterns are RE2 and not anchored. */
export class StringSchema extends Schema<string, string, "required"> {
  min(length: number): this {
    return this.with({ minLength: length });
  }

  max(length: number): this {
    return this.with({ maxLength: length });
  }

  pattern(pattern: string | RegExp): this {
    return this.with({ pattern: typeof pattern === "string" ? pattern : asRe2(pattern) });
  }

  format(format: StringFormat): this {
    return this.with({ format });
  }
}

/** RE2 has flags within the pattern, and always matches characters (`u`); unsupported flags are rejected with the field's name. */
function asRe2({ source, flags }: RegExp): string {
  const kept = flags.replace("u", "");
  return kept === "" ? source : `(?${kept})${source}`;
}

/** A number, integer or not. */
export class NumberSchema extends Schema<number, number, "required"> {
  min(value: number): this {
    return this.with({ minimum: value });
  }

  max(value: number): this {
    return this.with({ maximum: value });
  }

  above(value: number): this {
    return this.with({ minimum: value, exclusiveMinimum: true });
  }

  below(value: number): this {
    return this.with({ maximum: value, exclusiveMaximum: true });
  }

  multipleOf(value: number): this {
    return this.with({ multipleOf: value });
  }
}
