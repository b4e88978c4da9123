/** A picture as it hangs: in its mount and its frame, on a wall. */
import type { ComponentChildren, ComponentProps } from 'preact';
import { ApiPicture } from './picture.tsx';

interface HungPictureProps extends ComponentProps<typeof ApiPicture> {
  /** Other things on the wall, such as the picture that comes next. */
  readonly children?: ComponentChildren;
}

/** Draws the picture on its wall, as large as fits there in its own shape. */
export const HungPicture = ({ children, ...picture }: HungPictureProps) => {
  const [width, height] = picture.size;
  const shape = { '--ratio': String(width / height), '--most': `${width}px` };
  return (
    <div class="hung-wall">
      <div class="hung" style={shape}>
        <ApiPicture {...picture} />
      </div>
      {children}
    </div>
  );
};

/** A small picture tucked into the corner of the wall: what comes next, and when. */
export const TuckedPicture = ({
  caption,
  ...picture
}: ComponentProps<typeof ApiPicture> & { readonly caption: string }) => (
  <figure class={picture.size[1] > picture.size[0] ? 'tucked tucked-tall' : 'tucked'}>
    <ApiPicture {...picture} />
    <figcaption>{caption}</figcaption>
  </figure>
);
