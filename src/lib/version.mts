/** The version of the product; a test holds it to package.json, which a copy in a skills folder does not carry. */
export const VERSION = '3.0.0';
