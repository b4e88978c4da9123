/** Frames of a fleet that show the same picture share its bytes, so that thousands of them fit into the memory. */
import type { StepFrame } from '../dialects/any-frame.ts';
import type { FramePicture } from '../frame/frame.ts';

/** Returns a function that makes a step share the bytes of pictures with all other steps that it was applied to. */
export function sharedPictures(): (step: StepFrame) => StepFrame {
  const files = new Map<string, WeakRef<Uint8Array>>();
  const shared = <Picture extends FramePicture>(picture: Picture): Picture => {
    const { file, sha256 } = picture;
    const known = files.get(sha256)?.deref();
    if (known === file) return picture;
    // A frame that lies names a digest that is not that of its bytes.
    if (known !== undefined && Buffer.compare(known, file) === 0) return { ...picture, file: known };
    if (known === undefined) files.set(sha256, new WeakRef(file));
    return picture;
  };
  return (step) => (state, event) => {
    const next = step(state, event);
    const { glass, picture } = next.state;
    if (glass === state.glass && picture === state.picture) return next;
    return {
      ...next,
      state: {
        ...next.state,
        glass: glass.shows === 'picture' ? shared(glass) : glass,
        picture: picture && shared(picture),
      },
    };
  };
}
