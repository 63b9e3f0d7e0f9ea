/** Metadata checks for kinds that include them in their validation: names, labels, owners, then finalizers. */
import { checkDns1123Subdomain, type FieldError, type KubeObject } from "@capstan/model";
import { checkMetadataUpdate, checkObjectMetadata, checkStandardFinalizers } from "../../metadata/check.ts";
import type { NameRule } from "../rules.ts";

/** Checks a namespaced object again, for kinds that repeat the create validation on update. */
export function checkNamespaced(object: KubeObject, name: NameRule = "dns-subdomain"): FieldError[] {
  return checkObjectMetadata(object, true, name);
}

/** The same for a cluster-scoped object. */
export function checkClusterScoped(object: KubeObject, name: NameRule = "dns-subdomain"): FieldError[] {
  return checkObjectMetadata(object, false, name);
}

/** Checks an update of metadata, for kinds that do so at another point of their validation. */
export function checkChangedMetadata({ metadata }: KubeObject, { metadata: old }: KubeObject): FieldError[] {
  return [...checkMetadataUpdate(metadata, old), ...checkStandardFinalizers(metadata)];
}

/** Requires a DNS-1123 subdomain. A generateName prefix is not checked; the message states the length limit in bytes. */
export function finalSubdomain(name: string, isPrefix: boolean): readonly string[] {
  if (isPrefix) return [];
  return checkDns1123Subdomain(name).map((why) =>
    why.replace(/^(must be no more than [0-9]+) characters$/, "$1 bytes"),
  );
}
