/** Refuses projects in which two things would have one name: a file, a value, or a CRD. */
import { ScaffoldError } from "../errors.ts";
import { fileOf, valueOf } from "../templates/source.ts";
import { type ApiInputs, checkInputs, type Inputs } from "./inputs.ts";
import { wordsOf } from "./names.ts";

/** Refuses inputs that no project can be made from, be it for one name or for two that are the same. */
export function checkProject(inputs: Inputs): void {
  checkInputs(inputs);
  const owners = new Map([["src/main.ts", "the file that starts the operator"]]);
  for (const claim of inputs.apis.flatMap((api) => claimsOf(inputs, api))) {
    const owner = owners.get(claim.name);
    if (owner !== undefined) {
      throw new ScaffoldError(
        "Duplicate",
        `${claim.owner} cannot be ${claim.name}: that is ${owner}; choose another name`,
      );
    }
    owners.set(claim.name, claim.owner);
  }
}

interface Claim {
  /** What only one may be called: a path, a value of src/main.ts, or a CRD. */
  readonly name: string;
  readonly owner: string;
}

function claimsOf(inputs: Inputs, api: ApiInputs): Claim[] {
  const kind = `the kind ${api.kind}`;
  const file = fileOf(inputs, api);
  const controllers = api.controllers.flatMap((controller) => {
    const owner = controller === "" ? `the controller of ${api.kind}` : `the controller ${controller} of ${api.kind}`;
    const value = { name: `the value ${valueOf(inputs, api, controller)}`, owner };
    return controller === "" ? [value] : [{ name: `src/${file}-${controller}.ts`, owner }, value];
  });
  const crd = { name: `${wordsOf(api.kind, api.plural).plural}.${api.group}`, owner: kind };
  const isWritten = api.origin !== "core" || api.controllers.includes("");
  return [...(isWritten ? [{ name: `src/${file}.ts`, owner: kind }] : []), ...controllers, crd];
}
