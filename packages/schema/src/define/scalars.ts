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

/** Text. Lengths count code points; patterns are RE2 and not anchored by themselves. */
export class StringSchema extends Schema<string, string, "required"> {
  min(length: number): this {
    return this.with({ minLength: length });
  }

  max(length: number): this {
    return this.with({ maxLength: length });
  }

  pattern(pattern: string | RegExp): this {
    return this.with({ pattern: typeof pattern === "string" ? pattern : pattern.source });
  }

  format(format: StringFormat): this {
    return this.with({ format });
  }
}

/** A number, whole or not. */
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
