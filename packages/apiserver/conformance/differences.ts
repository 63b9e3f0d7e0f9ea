/** Known differences from kube-apiserver, each with its reason. A case that is listed here and passes must be removed from the list. */
export const differences: { readonly [name: string]: string } = {};
