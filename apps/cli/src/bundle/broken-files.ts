/** Names the files of a bundle that cannot be read: the usual validators pass over them and miss what was in them. */
import type { BundleFiles } from "@capstan/bundle";
import { parseAllDocuments } from "yaml";

/** One line for each manifest that is no YAML, as when it was cut short. */
export function brokenFiles(files: BundleFiles): string[] {
  return [...files].flatMap(([path, bytes]) => {
    if (!/\.(ya?ml|json)$/.test(path)) return [];
    const problem = problemOf(new TextDecoder().decode(bytes));
    return problem === undefined ? [] : [`${path} cannot be read, it may have been cut short: ${problem}`];
  });
}

function problemOf(text: string): string | undefined {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return "it is empty";
  const problem = documents.flatMap(({ errors }) => errors).at(0);
  return problem?.message.split(/:?\n/, 1)[0];
}
