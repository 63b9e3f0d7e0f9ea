/** Differences to the real server that are known, each with its reason. What is listed here and passes must be taken off the list. */
export const differences: { readonly [name: string]: string } = {
  "custom: refuses objects of another version":
    "the real server prunes by the schema of a version that does not exist before it refuses, and so warns of every field",
};
