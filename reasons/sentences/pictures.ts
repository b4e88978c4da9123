/** What was overlooked in pictures that were taken all the same. */
export const pictureSentences = {
  'image-end-missing': 'The end of the file is missing; what the picture shows is all there.',
  'image-profile-left-out': 'The colour profile of the picture cannot be read; its colours are taken for sRGB.',
  'image-gamma-left-out': 'The brightness information in this file is invalid and was ignored.',
  'image-inks-guessed':
    'The file does not say how its printing colours are stored; they are taken as browsers take them.',
  'image-gain-map-left-out': 'The brighter version for screens (HDR) is left out; paper shows the usual one.',
  'image-brightness-reduced':
    'The picture is made for bright screens (HDR); its lights are brought down to those of paper.',
  'image-parts-overlooked': 'Parts of the file are not as they should be; they were overlooked, as viewers do.',
} as const;
