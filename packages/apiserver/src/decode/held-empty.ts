/** Lists and maps that are left out when they are empty, but told apart from absent ones before that. */

/** By struct and field; everywhere else the rules of the real server do not see the difference. */
const held = new Set(["HPAScalingRules.policies", "JSONSchemaProps.dependencies"]);

/** Whether the rules of a kind see an empty list or map in this field. */
export function isHeldEmpty(struct: string, field: string): boolean {
  return held.has(`${struct}.${field}`);
}
