/** Checks the rules of `olm.constraint` dependencies: CEL over the properties of a bundle, with a comparison of versions. */
import { ANY, BOOL, createEnv, type Env, INT, listOf, mapOf, overload, sameType, STANDARD, STRING } from "@capstan/cel";

let known: Env | undefined;

function environment(): Env {
  known ??= createEnv({
    variables: { properties: listOf(mapOf(STRING, ANY)) },
    libraries: [
      STANDARD,
      {
        name: "semver",
        functions: [{ name: "semver_compare", overloads: [overload("semver_compare", [ANY, ANY], INT)] }],
      },
    ],
  });
  return known;
}

/** Returns the problem of a rule, or undefined. */
export function checkConstraint(rule: string): string | undefined {
  const compiled = environment().compile(rule);
  if (!compiled.ok) return compiled.message;
  return sameType(compiled.expression.outputType, BOOL) ? undefined : "cel expressions must have type Bool";
}
