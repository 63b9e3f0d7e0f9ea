/** Lists and maps that are omitted when empty, although validation distinguishes empty from absent. */

/** By struct and field. For all other fields, validation in kube-apiserver does not see the difference. */
const held = new Set(["HPAScalingRules.policies", "JSONSchemaProps.dependencies"]);

/** Whether the validation of a kind sees an empty list or map in this field. */
export function isHeldEmpty(struct: string, field: string): boolean {
  return held.has(`${struct}.${field}`);
}
