/** Shows what there is to see, on the embedded engine. */
console.log("Capstan: nothing can be started yet; `npm test` runs what there is.");
