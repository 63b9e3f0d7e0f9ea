/** Differences to the real server that are known, each with its reason. What is listed here and passes must be taken off the list. */
export const differences: { readonly [name: string]: string } = {};
