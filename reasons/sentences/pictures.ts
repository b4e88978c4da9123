/** The sentences about doubts of pictures that were accepted all the same. */
export const pictureSentences = {
  'image-end-missing': 'The end of the file is missing, but the picture is complete.',
  'image-profile-left-out': 'The colour profile of the picture cannot be read; its colours are treated as sRGB.',
  'image-gamma-left-out': 'The brightness information in this file is invalid and was ignored.',
  'image-inks-guessed':
    'The file does not say how its printing colours are stored; they are read as browsers read them.',
  'image-gain-map-left-out': 'The brighter version for screens (HDR) is left out; paper shows the usual one.',
  'image-brightness-reduced':
    'The picture is made for bright screens (HDR); its highlights are reduced to what paper can show.',
  'image-parts-overlooked': 'Parts of the file are invalid; they were ignored, as image viewers do.',
} as const;
