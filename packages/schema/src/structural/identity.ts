/** A text that two JSON values share exactly when they are deeply equal, so that a set finds equal ones. */
import { isLargeInteger, type Json } from "@capstan/model";

import { isJsonObject } from "./schema.ts";

export function identityOf(value: Json): string {
  if (isLargeInteger(value)) return `${value}n`;
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(identityOf).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const field = value[key];
      return field === undefined ? [] : [`${JSON.stringify(key)}:${identityOf(field)}`];
    });
  return `{${fields.join()}}`;
}
