/** Rejects invalid names of images and namespaces before they are written to many lines of YAML. */
import { checkDns1123Label } from "@capstan/model";
import { parseReference } from "@capstan/oci";
import { CliError } from "../errors.ts";

/** Returns the name of an image if it is valid. */
export function checkImage<T extends string | undefined>(image: T): T {
  if (image !== undefined) parseReference(image);
  return image;
}

/** Returns the name of a namespace if it is valid. */
export function checkNamespace<T extends string | undefined>(namespace: T): T {
  if (namespace !== undefined && checkDns1123Label(namespace).length > 0) {
    throw new CliError(
      "BadInput",
      `${JSON.stringify(namespace)} cannot name a namespace: use up to 63 lower-case letters, digits and dashes`,
    );
  }
  return namespace;
}
